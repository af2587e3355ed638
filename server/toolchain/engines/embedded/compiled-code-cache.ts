import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import { systemClock } from '../../../clock.ts';
import { renameOverSync } from '../../../store/filesystem.ts';
import { type EmbeddedTool, embeddedVersion, modulePath } from './tool-packages.ts';

/**
 * What V8 has compiled of a tool, kept in a file of this machine, so that the next process need not compile it. V8's
 * functions for it are not part of JavaScript: they exist where allowNatives() was called. A file is native code, trusted
 * as the program itself is, so its folder must be this user's alone.
 *
 * Layout: MAGIC, the SHA-256 of the code, the code.
 */
const MAGIC = Buffer.from('wishbench code 1');
const HASH_BYTES = 32;

/** Files that are kept: tools times limits of memory times versions. */
const MAX_FILES = 12;

/** Another process that writes the same file has ended long before, milliseconds. */
const CLAIM_LASTS = 3600_000;

/** Grows by this, and the code is worth to be written anew. */
const GROWTH = 1.1;

/** The code of a module as V8 reads it again: of the functions that it has optimised. Ends the process where there are none. */
const SERIALISE = 'return %SerializeWasmModule(module)';

/** Optimises a function that a module exports. */
const OPTIMISE = 'return %WasmTierUpFunction(exported)';

/** The module of code and of the very bytes that it was compiled from; undefined where V8 refuses it. */
const DESERIALISE = 'return %DeserializeWasmModule(code, wire)';

function serialise(module: WebAssembly.Module): Uint8Array {
  // So that there is one. Nothing of the instance is called.
  const nothing = new Proxy({}, { get: () => () => {} });
  const imports = new Proxy({}, { get: () => nothing });
  const { _start: exported } = new WebAssembly.Instance(module, imports).exports;
  new Function('exported', OPTIMISE)(exported);
  return new Uint8Array(new Function('module', SERIALISE)(module));
}

const deserialise = (code: ArrayBuffer, wire: Uint8Array): WebAssembly.Module | undefined =>
  new Function('code', 'wire', DESERIALISE)(code, wire);

/**
 * Makes V8's own functions callable, in this process and all its threads.
 * @returns whether this V8 has them
 */
export function allowNatives(): boolean {
  try {
    v8.setFlagsFromString('--allow-natives-syntax');
    new Function('module', SERIALISE);
    new Function('exported', OPTIMISE);
    new Function('code', 'wire', DESERIALISE);
    return true;
  } catch {
    return false;
  }
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** The file for the code of a tool: its name is another for each V8, processor, tool and limit of memory. */
export function compiledCodeFile(folder: string, tool: EmbeddedTool, memoryLimit: number): string {
  const { size, mtimeMs } = statSync(modulePath(tool));
  const { v8: engine, node, electron = '' } = process.versions;
  const identity = [
    ...[engine, node, electron, process.platform, process.arch, os.cpus()[0]?.model ?? ''],
    ...[embeddedVersion(tool), size, mtimeMs, memoryLimit],
  ];
  const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 24);
  return path.join(folder, `${tool}-${name}.code`);
}

/**
 * Makes the folder.
 * @returns whether nobody but this user can write to it
 */
export function isOwnFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}

/** The code in a file; null where there is none or it is damaged. */
function readCode(file: string): ArrayBuffer | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return null;
  }
  const code = bytes.subarray(MAGIC.length + HASH_BYTES);
  const sound =
    bytes.subarray(0, MAGIC.length).equals(MAGIC) &&
    sha256(code).equals(bytes.subarray(MAGIC.length, MAGIC.length + HASH_BYTES));
  return sound ? new Uint8Array(code).buffer : null;
}

/**
 * The tool as it was compiled before. A file that is damaged or that V8 refuses is removed.
 * @param wire the module's bytes, the same that were compiled
 * @returns null where there is nothing of use
 */
export function loadCompiledCode(file: string, wire: Uint8Array): WebAssembly.Module | null {
  const code = readCode(file);
  const module = code && deserialise(code, wire);
  if (module) {
    try {
      const now = systemClock.now() / 1000;
      utimesSync(file, now, now); // those that were not used for longest go first
    } catch {
      // another process has just removed it
    }
    return module;
  }
  rmSync(file, { force: true });
  return null;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Calls `work` unless another process does the same, or has ended in the middle of it a short while ago. */
function alone(file: string, work: () => void): void {
  const claim = `${file}.claim`;
  const claimed = statSync(claim, { throwIfNoEntry: false });
  if (claimed) {
    if (systemClock.now() - claimed.mtimeMs < CLAIM_LASTS) return;
    rmSync(claim, { force: true });
  }
  try {
    writeFileSync(claim, '', { flag: 'wx', mode: 0o600 });
  } catch {
    return;
  }
  try {
    work();
  } finally {
    rmSync(claim, { force: true });
  }
}

/** Removes what was not used for longest, and what was not finished. */
function prune(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /\.(?:code|new|claim)$/.test(name))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time);
  const kept = files.filter(({ file }) => file.endsWith('.code'));
  const old = files.filter(
    ({ file, time }) => !file.endsWith('.code') && systemClock.now() - time > CLAIM_LASTS,
  );
  for (const { file } of [...kept.slice(MAX_FILES), ...old]) rmSync(file, { force: true });
}

/**
 * Writes the code of a module to its file where there is none yet, or clearly less. To be called where the process may
 * end: V8's own functions end it where they find what they do not expect.
 * @returns whether it was written
 * @throws what the file system says
 */
export function keepCode(file: string, module: WebAssembly.Module): boolean {
  let written = false;
  alone(file, () => {
    const code = serialise(module);
    if (code.length <= sizeOf(file) * GROWTH) return;
    const fresh = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
    try {
      writeFileSync(fresh, Buffer.concat([MAGIC, sha256(code), code]), { mode: 0o600 });
      renameOverSync(fresh, file);
      written = true;
    } finally {
      rmSync(fresh, { force: true });
    }
    prune(path.dirname(file));
  });
  return written;
}
