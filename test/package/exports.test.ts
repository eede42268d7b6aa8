/** The package as a stranger gets it: packed, installed elsewhere, imported, bundled. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build, type Metafile } from 'esbuild';
import { publint } from 'publint';
import { build as viteBuild } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const HTTP_USER =
  "import { DeltaTable } from 'delta-kernel-web'; globalThis.open = (url) => DeltaTable.open(url);";
let project: string;
let tarball: string;
let files: string[];

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'package-'));
  const pack = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
    cwd: checkout,
    encoding: 'utf8',
  });
  const [packed] = JSON.parse(pack) as { filename: string; files: { path: string }[] }[];
  tarball = join(project, packed!.filename);
  files = packed!.files.map(({ path }) => path);
  install();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** The tarball and its dependencies, as a package manager would lay them out, without the network. */
function install(): void {
  const target = join(project, 'node_modules/delta-kernel-web');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
  };
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const link = join(project, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(checkout, 'node_modules', name), link);
  }
}

it('holds what it should and nothing else', () => {
  const unexpected = files.filter((file) => !/^(dist\/.*|package\.json|README\.md|LICENSE)$/.test(file));
  expect(unexpected).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'dist/cli.js', 'dist/delta_kernel_web.wasm']),
  );
  expect(files.filter((file) => /web-demo|tests?\/|\.test\.|\.tsbuildinfo$/.test(file))).toEqual([]);
});

it('passes publint', async () => {
  const { messages } = await publint({ pkgDir: checkout, pack: 'npm', strict: true });
  expect(messages.map(({ code, path }) => ({ code, path }))).toEqual([]);
});

it('resolves with its types in every mode of an ES module', async () => {
  const data = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)));
  const result = await checkPackage(data);
  const problems = result.types ? result.problems : [{ kind: 'NoTypes' as const }];
  // ESM only, by design: CommonJS and the resolution of old Node versions do not apply.
  const relevant = problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' &&
      !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  );
  expect(relevant).toEqual([]);
});

it('imports every entry in Node', () => {
  const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>;
  };
  const entries = Object.keys(manifest.exports).filter((entry) => !/\.(wasm|json)$/.test(entry));
  expect(entries).toContain('./s3');
  for (const entry of entries) {
    const specifier = entry.replace(/^\./, 'delta-kernel-web');
    const script = `const m = await import('${specifier}'); console.log(Object.keys(m).length)`;
    const count = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(Number(count), specifier).toBeGreaterThan(0);
  }
});

it('ships to a user of HTTP nothing of S3, R2, OPFS or Node', async () => {
  const { inputs, outputs } = await bundleUser(HTTP_USER);
  const shipped = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  expect(Object.keys(inputs).length).toBeGreaterThan(1);
  expect(
    shipped.filter((input) => /aws-sdk|smithy|dist\/(s3|r2|opfs|directory|node|cli)\.js/.test(input)),
  ).toEqual([]);
});

it('finds the AWS SDK where S3 is imported', async () => {
  const { inputs } = await bundleUser(
    "import { S3StorageHandler } from 'delta-kernel-web/s3'; globalThis.s3 = S3StorageHandler;",
  );
  expect(Object.keys(inputs).some((input) => /dist\/s3\.js/.test(input))).toBe(true);
});

it.each([
  ['DeltaTable', 'delta-kernel-web'],
  ['UnityCatalog', 'delta-kernel-web/unity'],
  ['StorageCatalog', 'delta-kernel-web/catalog'],
])('keeps the loader that registers the WASM for %s of %s', async (name, entry) => {
  const { text } = await bundleUser(`export { ${name} } from '${entry}';`);
  expect(text).toContain('delta_kernel_web.wasm');
});

it('gives Vite the WASM to emit', async () => {
  writeFileSync(join(project, 'index.html'), '<!doctype html><script type="module" src="./app.js"></script>');
  writeFileSync(join(project, 'app.js'), HTTP_USER);
  const result = await viteBuild({
    root: project,
    configFile: false,
    logLevel: 'silent',
    build: { write: false },
  });
  const outputs = [result].flat().flatMap((built) => ('output' in built ? built.output : []));
  const assets = outputs.filter((output) => output.type === 'asset').map((output) => output.fileName);
  expect(assets.filter((name) => name.endsWith('.wasm'))).toHaveLength(1);
});

async function bundleUser(contents: string): Promise<Metafile & { text: string }> {
  const result = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    format: 'esm',
    conditions: ['browser'],
    mainFields: ['module', 'main'],
    outdir: join(project, 'out'),
    write: false,
    metafile: true,
    absWorkingDir: project,
    logLevel: 'silent',
  });
  return { ...result.metafile, text: result.outputFiles.map((file) => file.text).join('\n') };
}

it('leaves no file of the build unreferenced', () => {
  const scripts = readdirSync(join(project, 'node_modules/delta-kernel-web/dist')).filter((file) =>
    file.endsWith('.js'),
  );
  const text = scripts.map((file) =>
    readFileSync(join(project, 'node_modules/delta-kernel-web/dist', file), 'utf8'),
  );
  const chunks = scripts.filter((file) => file.startsWith('chunk-'));
  expect(chunks.filter((chunk) => !text.some((source) => source.includes(`"./${chunk}"`)))).toEqual([]);
});
