// Entry of a thread that loads and runs the WebAssembly tools.
import { closeSync, fstatSync, openSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import { FAMILIES } from '../../families/index.ts';
import { loadModule } from './load-module.ts';
import {
  type FromWorker,
  type LoadTool,
  type Outcome,
  type SharePack,
  type ToWorker,
  UNCAUGHT,
  type WorkerStart,
} from './messages.ts';
import { OutputWriter } from './shared-output.ts';
import {
  addDirectory,
  addFile,
  Directory,
  findEntry,
  HostFile,
  MemoryFile,
  splitPath,
} from './tool-files.ts';
import { createWasi, ToolExit } from './wasi.ts';
import { yosysLibraries } from './yosys-library.ts';

/** Limit of the bytes that a tool may write to its files. Netlists of the largest parts stay below 100 MB. */
const WRITE_LIMIT = 512 * 2 ** 20;

const post = (message: FromWorker, transfer: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, transfer);

const start: WorkerStart = workerData;
const { inbox } = start;
const counter = new Int32Array(start.signal);
const output = new OutputWriter(start.output, () => post({ kind: 'full' }));

/** Blocks this thread until a message arrives, because the tools have no event loop. */
function receive(): ToWorker {
  for (;;) {
    const seen = Atomics.load(counter, 0);
    const received: { message: ToWorker } | undefined = receiveMessageOnPort(inbox);
    if (received) return received.message;
    Atomics.wait(counter, 0, seen);
  }
}

/** Library folders of the boards' families, and those that all families share: a tenth of the whole. */
const LIBRARIES: ReadonlySet<string> = new Set(['lattice', 'choices', ...FAMILIES.keys()]);

/** Collects the needed files of Yosys's libraries in one block that all threads share. */
function packShare(): SharePack {
  const files = [...yosysLibraries()]
    .filter(([name]) => !name.includes('/') || LIBRARIES.has(name.replace(/\/.*$/, '')))
    .map(([name, contents]): [string, Uint8Array] => [`/share/${name}`, contents]);
  const bytes = new SharedArrayBuffer(files.reduce((sum, [, contents]) => sum + contents.length, 0));
  const target = new Uint8Array(bytes);
  const index: SharePack['index'] = [];
  let offset = 0;
  for (const [path, contents] of files) {
    target.set(contents, offset);
    index.push([path, offset, contents.length]);
    offset += contents.length;
  }
  return { bytes, index };
}

function load({ tool, memoryLimit, code }: LoadTool): void {
  post({ kind: 'loaded', ...loadModule(tool, memoryLimit, code) });
}

function run(job: Extract<ToWorker, { kind: 'job' }>): void {
  post({ kind: 'begun' });
  const root = new Directory();
  addDirectory(root, ['tmp']);
  if (job.share)
    for (const [path, offset, length] of job.share.index)
      addFile(
        root,
        path,
        new MemoryFile(new Uint8Array(job.share.bytes, offset, length), { readOnly: true }),
      );
  for (const [path, contents] of job.files) addFile(root, path, new MemoryFile(contents));

  const arrived = new Map<string, Uint8Array>();
  const waitFor = (path: string): Uint8Array => {
    for (;;) {
      const contents = arrived.get(path);
      if (contents) return contents;
      const message = receive();
      if (message.kind === 'file') arrived.set(message.path, message.contents);
    }
  };
  for (const path of job.late)
    addFile(root, path, new MemoryFile(undefined, { pending: () => waitFor(path) }));

  const descriptors = Object.entries(job.hostFiles).map(([path, host]) => {
    const descriptor = openSync(host, 'r');
    addFile(root, path, new HostFile(descriptor, fstatSync(descriptor).size));
    return descriptor;
  });

  const wasi = createWasi({
    root,
    args: [job.tool, ...job.args],
    output: (bytes) => output.write(bytes),
    writeLimit: WRITE_LIMIT,
    clock: systemClock,
  });
  const instance = new WebAssembly.Instance(job.module, wasi.imports);
  const { memory, _start: main } = instance.exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof main !== 'function')
    throw new Error(`${job.tool} is not a WASI command.`);
  wasi.attach(memory);

  let outcome: Outcome;
  try {
    main();
    outcome = { kind: 'exit', code: 0 };
  } catch (error) {
    outcome =
      error instanceof ToolExit
        ? { kind: 'exit', code: error.code }
        : { kind: 'trap', message: error instanceof Error ? error.message : UNCAUGHT };
  }
  for (const descriptor of descriptors) closeSync(descriptor);

  const files: [string, Uint8Array][] = [];
  for (const path of job.outputs) {
    const file = findEntry(root, splitPath(path));
    // A copy of exact size: the transfer must not include the spare room of the buffer.
    if (file instanceof MemoryFile) files.push([path, file.contents.slice()]);
  }
  post(
    { kind: 'end', outcome, files, memory: memory.buffer.byteLength },
    files.map(([, contents]) => contents.buffer as ArrayBuffer),
  );
}

/** Serves one message. */
function serveOne(): void {
  let message = receive();
  // Skip late files of an earlier run that did not need them.
  while (message.kind === 'file') message = receive();
  if (message.kind === 'load') load(message);
  else if (message.kind === 'pack-share') post({ kind: 'share', share: packShare() });
  else run(message);
}

/** Serves messages one after the other. Memory of the last one is freed before the next is requested. */
async function serve(): Promise<void> {
  for (;;) {
    post({ kind: 'waiting' });
    serveOne();
    globalThis.gc?.();
  }
}

// Not awaited: Node 20 aborts the whole process when a thread is ended whose module waits at top level. An error still
// reaches the parent as the thread's error.
void serve();
