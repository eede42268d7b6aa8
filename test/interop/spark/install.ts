/**
 * Apache Spark with Delta, kept by version in `~/.cache/delta-kernel-web`: a virtual environment with pyspark (which
 * holds Spark), and Delta's jars from Maven. Both are fetched when they are first needed.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, which } from '../../../scripts/lib/shell.mjs';
import { pythonWith, reasonOf } from '../venv.ts';

const exec = promisify(execFile);

const SPARK = '4.2.0';
const DELTA = '4.4.0';
const ARTIFACT = { group: 'io.delta', name: 'delta-spark_4.2_2.13' };
/** Of what delta-spark needs, the groups that Spark itself does not bring. */
const GROUPS = 'io.delta,io.unitycatalog';

export interface SparkInstallation {
  readonly python: string;
  readonly jars: readonly string[];
}

/** The installation, or why there is none. */
export async function installSpark(): Promise<SparkInstallation | { missing: string }> {
  for (const [program, what] of [
    ['java', 'Java 17'],
    ['mvn', 'Maven'],
    ['python3', 'Python'],
  ] as const) {
    if (which(program) === undefined) return { missing: `Spark needs ${what}: no ${program} on the path` };
  }
  try {
    const dir = join(cacheDir, `spark-${SPARK}-delta-${DELTA}`);
    const jars = await fetchJars(dir);
    return { jars, python: await pythonWith(join(dir, 'venv'), ['pyspark'], [`pyspark==${SPARK}`]) };
  } catch (error) {
    return { missing: `no Spark ${SPARK} with Delta ${DELTA}: ${reasonOf(error)}` };
  }
}

async function fetchJars(dir: string): Promise<string[]> {
  const jars = join(dir, 'jars');
  if (!existsSync(jars)) {
    const fresh = `${jars}.${process.pid}`;
    await mkdir(fresh, { recursive: true });
    const pom = join(fresh, 'pom.xml');
    await writeFile(pom, POM);
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
    const options = [`-DoutputDirectory=${fresh}`, `-DincludeGroupIds=${GROUPS}`, '-DincludeScope=runtime'];
    await exec('mvn', ['-q', '-B', '-Dstyle.color=never', '-f', pom, goal, ...options], { timeout: 300_000 });
    await rm(pom);
    await rename(fresh, jars);
  }
  return readdirSync(jars).map((name) => join(jars, name));
}

const POM = `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>delta-kernel-web</groupId>
  <artifactId>interop</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>${ARTIFACT.group}</groupId>
      <artifactId>${ARTIFACT.name}</artifactId>
      <version>${DELTA}</version>
    </dependency>
  </dependencies>
</project>
`;
