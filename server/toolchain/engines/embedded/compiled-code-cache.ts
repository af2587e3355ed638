import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readvSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import { systemClock } from '../../../clock.ts';
import { renameOverSync } from '../../../store/filesystem.ts';
import { type EmbeddedTool, embeddedVersion, modulePath } from './tool-packages.ts';

/**
 * Stores the compiled code of a tool in a file, so that the next process need not compile it. V8's functions for this are
 * not part of JavaScript: see allowNatives(). A file is native code, trusted like the program itself; only this user may
 * write to its folder.
 *
 * Layout: MAGIC, the SHA-256 of the code, the code.
 */
const MAGIC = Buffer.from('wishbench code 1');
const HASH_BYTES = 32;

/** Limit of files: tools × memory limits × versions. */
const MAX_FILES = 12;

/** Age at which a claim of another process is stale, ms. */
const CLAIM_MS = 3600_000;

/** Factor by which the code must grow for a new file. */
const GROWTH = 1.1;

/** Serialises the optimised functions of a module. V8 ends the process when there are none. */
const SERIALISE = 'return %SerializeWasmModule(module)';

/** Optimises an exported function. */
const OPTIMISE = 'return %WasmTierUpFunction(exported)';

/** Restores a module from its code and its original bytes; undefined when V8 refuses the code. */
const DESERIALISE = 'return %DeserializeWasmModule(code, wire)';

function serialise(module: WebAssembly.Module): Uint8Array {
  // Optimises one function, because V8 needs at least one. No function of the instance is called.
  const nothing = new Proxy({}, { get: () => () => {} });
  const imports = new Proxy({}, { get: () => nothing });
  const { _start: exported } = new WebAssembly.Instance(module, imports).exports;
  new Function('exported', OPTIMISE)(exported);
  return new Uint8Array(new Function('module', SERIALISE)(module));
}

const deserialise = (code: ArrayBuffer, wire: Uint8Array): WebAssembly.Module | undefined =>
  new Function('code', 'wire', DESERIALISE)(code, wire);

/**
 * Enables V8's internal functions in this process and all its threads.
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

/** File of a tool's code. Its name depends on V8, the processor, the tool and the memory limit. */
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
 * Creates the folder.
 * @returns whether only this user can write to it
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

/** Reads the code of a file; null when it is absent or damaged. */
function readCode(file: string): ArrayBuffer | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return null;
  }
  try {
    const head = Buffer.alloc(MAGIC.length + HASH_BYTES);
    const code = new Uint8Array(Math.max(0, fstatSync(descriptor).size - head.length));
    const sound =
      readvSync(descriptor, [head, code]) === head.length + code.length &&
      head.equals(Buffer.concat([MAGIC, sha256(code)]));
    return sound ? code.buffer : null;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Loads a tool's compiled code. A file that is damaged, or that V8 refuses, is removed.
 * @param wire bytes of the module that was compiled
 * @returns null when there is no usable code
 */
export function loadCompiledCode(file: string, wire: Uint8Array): WebAssembly.Module | null {
  const code = readCode(file);
  const module = code && deserialise(code, wire);
  if (module) {
    try {
      const now = systemClock.now() / 1000;
      utimesSync(file, now, now); // the least recently used files are removed first
    } catch {
      // Another process has just removed it.
    }
    return module;
  }
  rmSync(file, { force: true });
  return null;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Calls `work` unless another process is doing the same, or died doing it less than CLAIM_MS ago. */
function withClaim(file: string, work: () => void): void {
  const claim = `${file}.claim`;
  const claimed = statSync(claim, { throwIfNoEntry: false });
  if (claimed) {
    if (systemClock.now() - claimed.mtimeMs < CLAIM_MS) return;
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

/** Removes the least recently used files, and unfinished ones. */
function prune(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /\.(?:code|new|claim)$/.test(name))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time);
  const codeFiles = files.filter(({ file }) => file.endsWith('.code'));
  const old = files.filter(
    ({ file, time }) => !file.endsWith('.code') && systemClock.now() - time > CLAIM_MS,
  );
  for (const { file } of [...codeFiles.slice(MAX_FILES), ...old]) rmSync(file, { force: true });
}

/**
 * Writes the code of a module when there is no file yet, or a clearly smaller one. Call it only where the process may end:
 * V8's internal functions end it in unexpected cases.
 * @returns whether it was written
 * @throws errors of the file system
 */
export function keepCode(file: string, module: WebAssembly.Module): boolean {
  let written = false;
  withClaim(file, () => {
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
