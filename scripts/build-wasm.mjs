/**
 * Builds the Rust core: `wasm/` → `src/engine/wasm/delta_kernel_web.wasm`.
 *
 *   node scripts/build-wasm.mjs            build if the sources changed
 *   node scripts/build-wasm.mjs --force    build in any case
 *
 * The result is kept in the cache under a hash of sources and flags: an unchanged core, in this or any other clone
 * on the same machine, is copied, not compiled.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  aptInstall,
  cacheDir,
  hashFiles,
  isExecutable,
  main,
  output,
  root,
  SetupError,
  say,
  tryOutput,
  tryRun,
  which,
} from './lib/shell.mjs';

const TARGET = 'wasm32-unknown-unknown';
const RUSTFLAGS = '-C target-feature=+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext';
/** What the compiler reads, in `wasm/`. */
const SOURCES = ['Cargo.toml', 'Cargo.lock', '.cargo', 'src'];
/** `wasm/Cargo.toml` says the same in `rust-version`. */
const RUST_MINIMUM = [1, 88];
const DEBIAN_PACKAGES = ['rustc-web', 'cargo-web', 'rust-web-src', 'lld', 'clang', 'llvm'];

/** Where the module lies for the sources; the bundler copies it to `dist/`. */
export const wasmFile = join(root, 'src/engine/wasm/delta_kernel_web.wasm');

export function buildWasm({ force = false } = {}) {
  if (!existsSync(join(root, 'wasm/Cargo.toml'))) throw new SetupError('wasm/Cargo.toml is missing');
  const inputs = SOURCES.map((name) => join(root, 'wasm', name));
  const key = hashFiles(inputs, { extra: RUSTFLAGS }).slice(0, 20);
  const cached = join(cacheDir, 'wasm', key, 'delta_kernel_web.wasm');
  if (force || !existsSync(cached)) compile(cached);
  copyIfNewer(cached);
  return wasmFile;
}

function copyIfNewer(cached) {
  const from = statSync(cached);
  const to = statSync(wasmFile, { throwIfNoEntry: false });
  // Copies keep times to the millisecond only.
  if (to?.size === from.size && Math.abs(to.mtimeMs - from.mtimeMs) < 2) return;
  const partial = `${wasmFile}.${process.pid}.partial`;
  cpSync(cached, partial, { preserveTimestamps: true });
  renameSync(partial, wasmFile);
  say(`WASM core: ${(from.size / 1e6).toFixed(2)} MB`);
}

function compile(cached) {
  const toolchain = findToolchain();
  say(`building the WASM core with ${toolchain.name} (some minutes, once per change of wasm/)`);
  const manifest = join(root, 'wasm/Cargo.toml');
  const args = ['build', '--release', '--target', TARGET, '--manifest-path', manifest, ...toolchain.args];
  if (existsSync(join(root, 'wasm/Cargo.lock'))) args.push('--locked');
  const messages = output(toolchain.cargo, [...args, '--message-format=json-render-diagnostics'], {
    env: { RUSTFLAGS, CARGO_TARGET_DIR: join(cacheDir, 'cargo-target', toolchain.id), ...toolchain.env },
  });
  const built = messages
    .split('\n')
    .filter((line) => line.startsWith('{"reason":"compiler-artifact"'))
    .flatMap((line) => JSON.parse(line).filenames)
    .filter((name) => name.endsWith('.wasm'));
  if (built.length !== 1)
    throw new SetupError(`expected one .wasm of cargo, got: ${built.join(', ') || 'none'}`);
  checkModule(built[0]);
  mkdirSync(dirname(cached), { recursive: true });
  // Of this process alone: others may be building the same.
  const partial = `${cached}.${process.pid}.partial`;
  cpSync(built[0], partial);
  renameSync(partial, cached);
}

/** A core without exports, or with imports, builds but cannot run: it must not get into the cache. */
function checkModule(file) {
  const module = new WebAssembly.Module(readFileSync(file));
  const functions = WebAssembly.Module.exports(module).filter(({ kind }) => kind === 'function');
  const imports = WebAssembly.Module.imports(module).map(({ module: from, name }) => `${from}.${name}`);
  if (functions.length === 0) throw new SetupError('the WASM core that was built exports no function');
  if (imports.length > 0) throw new SetupError(`the WASM core that was built imports ${imports.join(', ')}`);
}

/** rustup's target where it is or can be fetched, else Debian's Rust with the standard library built from source. */
function findToolchain() {
  const toolchain = rustupToolchain() ?? debianToolchain();
  if (toolchain !== undefined) return toolchain;
  throw new SetupError(
    [
      'The WASM core needs a Rust compiler for wasm32. Either of these will do:',
      `  rustup (Rust ${RUST_MINIMUM.join('.')} or newer):  rustup target add ${TARGET}   and clang`,
      `  Debian 12, as root:  apt-get install --no-install-recommends ${DEBIAN_PACKAGES.join(' ')}`,
    ].join('\n'),
  );
}

/** Runs the core's own tests, natively; whether all passed. */
export function testWasm() {
  const cargo = which('cargo');
  const toolchain =
    cargo !== undefined && isNewEnough(cargo) ? { id: 'rustup', cargo, env: {} } : debianToolchain();
  if (toolchain === undefined) throw new SetupError('the tests of the WASM core need a Rust compiler');
  const env = { CARGO_TARGET_DIR: join(cacheDir, 'cargo-target', `${toolchain.id}-tests`), ...toolchain.env };
  const args = ['test', '--lib', '--locked', '--manifest-path', join(root, 'wasm/Cargo.toml')];
  return tryRun(toolchain.cargo, args, { env }) === 0;
}

function rustupToolchain() {
  const [cargo, rustup] = [which('cargo'), which('rustup')];
  if (cargo === undefined || rustup === undefined) return undefined;
  if (!isNewEnough(cargo)) return undefined;
  if (!which('clang') && !aptInstall('clang', 'llvm')) return undefined;
  say(`rustup target add ${TARGET}`);
  if (tryRun(rustup, ['target', 'add', TARGET], { timeout: 180_000 }) !== 0) return undefined;
  return { id: 'rustup', name: "rustup's Rust", cargo, args: [], env: {} };
}

function isNewEnough(cargo) {
  const version = /^cargo (\d+)\.(\d+)/.exec(tryOutput(cargo, ['--version']) ?? '');
  const [major, minor] = (version ?? []).slice(1).map(Number);
  const enough = major > RUST_MINIMUM[0] || (major === RUST_MINIMUM[0] && minor >= RUST_MINIMUM[1]);
  if (!enough) say(`${cargo} is not Rust ${RUST_MINIMUM.join('.')} or newer`);
  return enough;
}

function debianToolchain() {
  const [rustc, cargo] = ['/usr/bin/rustc', '/usr/bin/cargo'];
  const complete = () => isExecutable(rustc) && isExecutable(cargo) && which('wasm-ld') && which('clang');
  if (!complete() && !(aptInstall(...DEBIAN_PACKAGES) && complete())) return undefined;
  return {
    id: 'debian',
    name: "Debian's Rust",
    cargo,
    args: ['-Z', 'build-std=std,panic_abort'],
    // build-std is unstable; RUSTC_BOOTSTRAP lets a stable compiler do it.
    env: { RUSTC: rustc, RUSTC_BOOTSTRAP: '1', CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: 'wasm-ld' },
  };
}

await main(import.meta.url, (args) => buildWasm({ force: args.includes('--force') }));
