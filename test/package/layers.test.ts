/** The layers of ARCHITECTURE.md as a test: who may import whom, and what may be used where. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

type Sources = ReadonlyMap<string, string>;

const CONTRACTS = /^(errors\.ts|kernel\/engine(-data)?\.ts|kernel\/(schema|expressions)\/.*)$/;

/** Folder → what its files may import besides their own folder. Files that are not in one of these see everything. */
const MAY_IMPORT: Record<string, { files: RegExp; packages: RegExp }> = {
  kernel: { files: /^errors\.ts$/, packages: /^lossless-json$/ },
  engine: { files: CONTRACTS, packages: /^(lossless-json|apache-arrow|arrow-js-ffi)$/ },
  storage: { files: CONTRACTS, packages: /^(@aws-sdk\/client-s3|@rgrove\/parse-xml)$/ },
  catalog: {
    files: new RegExp(`${CONTRACTS.source}|^kernel/(committer|log)/.*$`),
    packages: /^lossless-json$/,
  },
};

/** What code may not contain, and the files that may. */
const USES: readonly { what: RegExp; where: RegExp; except: RegExp }[] = [
  {
    what: /from 'node:|import\('node:/,
    where: /./,
    except: /^(storage\/node|engine\/wasm\/entry-node|index\.node)\.ts$|^cli\//,
  },
  { what: /\bfetch\(/, where: /^(kernel|engine)\//, except: /^engine\/wasm\/(load|entry-browser)\.ts$/ },
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bcrypto\.|\bperformance\.now\b/,
    where: /^kernel\//,
    except: /^kernel\/runtime\.ts$/,
  },
  { what: /@rgrove\//, where: /./, except: /^storage\/xml\.ts$/ },
  { what: /@aws-sdk\//, where: /./, except: /^storage\/s3[^/]*\.ts$|^cli\// },
];

it('keeps the layers of src/', () => {
  expect(violations(readSources())).toEqual([]);
});

it('has no import cycles', () => {
  expect(findCycle(importGraph(readSources()))).toBeUndefined();
});

it('sees what it forbids', () => {
  const bad = new Map([
    ['kernel/scan/scan.ts', "import { x } from '../../engine/default-engine.ts';\nconst now = Date.now();"],
    ['engine/json-handler.ts', "import type { X } from '../kernel/snapshot/snapshot.ts';\nawait fetch(url);"],
    [
      'storage/http.ts',
      "export { y } from '../engine/default-engine.ts';\nimport { z } from 'apache-arrow';",
    ],
    ['storage/memory.ts', "import { readFile } from 'node:fs/promises';"],
    ['catalog/unity/client.ts', '// Date.now() and fetch( are fine in a comment\nawait fetch(url);'],
  ]);
  expect(violations(bad)).toEqual([
    'kernel/scan/scan.ts imports engine/default-engine.ts',
    'kernel/scan/scan.ts uses Date.now',
    'engine/json-handler.ts imports kernel/snapshot/snapshot.ts',
    'engine/json-handler.ts uses fetch(',
    'storage/http.ts imports engine/default-engine.ts',
    'storage/http.ts imports apache-arrow',
    'storage/memory.ts imports node:fs/promises',
    "storage/memory.ts uses from 'node:",
  ]);
  const cycle = new Map([
    ['a.ts', "import './b.ts';"],
    ['b.ts', "import { c } from './c.ts';"],
    ['c.ts', "import {\n  a,\n} from './a.ts';"],
  ]);
  expect(findCycle(importGraph(cycle))).toEqual(['a.ts', 'b.ts', 'c.ts', 'a.ts']);
});

function violations(sources: Sources): string[] {
  const found: string[] = [];
  for (const [file, source] of sources) {
    const folder = file.split('/')[0] ?? '';
    const rule = MAY_IMPORT[folder];
    for (const target of importsOf(file, source)) {
      if (rule === undefined || target.startsWith(`${folder}/`)) continue;
      if (target.startsWith('node:') && USES[0]!.except.test(file)) continue;
      const allowed = target.endsWith('.ts') || target.endsWith('.wasm') ? rule.files : rule.packages;
      if (!allowed.test(target)) found.push(`${file} imports ${target}`);
    }
    for (const { what, where, except } of USES) {
      const use = what.exec(source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ''));
      if (use !== null && where.test(file) && !except.test(file)) found.push(`${file} uses ${use[0]}`);
    }
  }
  return found;
}

/** What a file imports: paths below `src/`, and packages by name. Types count: they are dependencies of a reader too. */
function importsOf(file: string, source: string): string[] {
  const statements = source.matchAll(
    /^\s*(?:import|export)\b(?:[\w\s{},*$]*\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([, fixed, dynamic]) => {
    const target = fixed ?? dynamic ?? '';
    return target.startsWith('.') ? posix.join(posix.dirname(file), target) : target;
  });
}

function importGraph(sources: Sources): Map<string, string[]> {
  return new Map([...sources].map(([file, source]) => [file, importsOf(file, source)]));
}

/** The first cycle met, from a file back to itself. */
function findCycle(graph: Map<string, string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function readSources(): Sources {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return new Map(
    files.sort().map((file) => [file.replaceAll('\\', '/'), readFileSync(join(src, file), 'utf8')]),
  );
}
