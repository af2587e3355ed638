// Entry of the process that runs the embedded tools.
import v8 from 'node:v8';
import vm from 'node:vm';
import { every, systemClock } from '../../../clock.ts';
import { assertNever, BenchError } from '../../../errors/bench-error.ts';
import { allowNatives, isOwnFolder } from './compiled-code-cache.ts';
import { LoadedTools } from './loaded-tools.ts';
import {
  ALIVE,
  type FromTools,
  type RunFailure,
  type ToolchainCode,
  type ToTools,
} from './process-messages.ts';
import { createThreadEngine, type EngineLogger, type ThreadEngine } from './thread-engine.ts';
import { ToolThreads } from './tool-threads.ts';

/** Electron's channel to its utility process. */
interface ElectronPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: ToTools }) => void): void;
}

/** Sends a message to the parent. After a disconnect messages are dropped. */
function post(message: FromTools): void {
  if (electronPort) electronPort.postMessage(message);
  else if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
const { parentPort: electronPort } = process as { parentPort?: ElectronPort };

const logged =
  (level: 'info' | 'warn') =>
  ({ err, ...facts }: { err?: unknown } & object, text: string): void => {
    const fields: [string, unknown][] = Object.entries(facts);
    if (err !== undefined) fields.push(['reason', String(err)]);
    post({ kind: 'log', level, fields, text });
  };
const logger = { info: logged('info'), warn: logged('warn') } as EngineLogger;

/** A running tool. */
interface Run {
  stop: AbortController;
  /** Delivers a late file. */
  late: Map<string, (contents: Uint8Array) => void>;
}

const runs = new Map<number, Run>();
const engines = new Map<number, ThreadEngine>();
const threads = new ToolThreads(systemClock);
let tools = new LoadedTools(threads, null, logger);

function engineFor(memoryLimit: number): ThreadEngine {
  let engine = engines.get(memoryLimit);
  if (!engine) {
    engine = createThreadEngine({ logger, clock: systemClock, memoryLimit, tools });
    engines.set(memoryLimit, engine);
  }
  return engine;
}

function failureOf(error: unknown): RunFailure {
  if (error instanceof BenchError) {
    const { code, message, remedy, details = {} } = error;
    return { code: code as ToolchainCode, message, remedy, details };
  }
  return {
    code: null,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    remedy: '',
    details: {},
  };
}

/** Stops the sign of life. */
let cancelAlive = () => {};

async function run(request: Extract<ToTools, { kind: 'run' }>): Promise<void> {
  const { id, tool, args, outputs, deadline } = request;
  const stop = new AbortController();
  const arriving: Run['late'] = new Map();
  const late = request.late.map((path): [string, Promise<Uint8Array>] => [
    path,
    new Promise((resolve) => {
      arriving.set(path, resolve);
    }),
  ]);
  runs.set(id, { stop, late: arriving });
  if (runs.size === 1) cancelAlive = every(systemClock, ALIVE, () => post({ kind: 'alive' }));
  // Lines that arrive together are sent as one message.
  let lines: string[] = [];
  const pass = () => {
    if (lines.length > 0) post({ kind: 'lines', id, lines });
    lines = [];
  };
  try {
    const {
      files,
      seconds,
      peakMemory = 0,
    } = await engineFor(request.memoryLimit).run({
      tool,
      args,
      files: Object.fromEntries(request.files),
      late: Object.fromEntries(late),
      outputs,
      deadline,
      signal: stop.signal,
      onLine(line) {
        if (lines.length === 0) queueMicrotask(pass);
        lines.push(line);
      },
    });
    pass();
    const written = Object.entries(files);
    post({ kind: 'done', id, files: written, seconds, peakMemory });
  } catch (error) {
    pass();
    post({ kind: 'failed', id, failure: failureOf(error) });
  } finally {
    runs.delete(id);
    if (runs.size === 0) cancelAlive();
  }
}

async function keep(): Promise<void> {
  threads.rest();
  try {
    await tools.keep();
  } catch (error) {
    logger.warn({ err: error }, 'compiled code of the tools could not be stored');
  }
}

/** The parent has gone, or has no more work. */
async function leave(): Promise<void> {
  if (runs.size === 0) await keep();
  process.exit();
}

async function start({ codeFolder, memoryLimit }: Extract<ToTools, { kind: 'start' }>): Promise<void> {
  if (codeFolder !== null && isOwnFolder(codeFolder) && allowNatives())
    tools = new LoadedTools(threads, codeFolder, logger);
  const engine = engineFor(memoryLimit);
  const ready = engine.ready();
  // The parent is about to run a tool: load the largest here while the threads start.
  void engine.warm(true).then(freeMemory);
  // A started thread proves that this process works.
  await ready;
  post({ kind: 'ready' });
}

/** Frees the 45 MB of the modules' files, which V8 would not collect in such a small heap. */
function freeMemory(): void {
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

function receive(message: ToTools): void {
  switch (message.kind) {
    case 'start':
      void start(message);
      break;
    case 'warm':
      void engineFor(message.memoryLimit).warm();
      break;
    case 'run':
      void run(message);
      break;
    case 'file':
      runs.get(message.id)?.late.get(message.path)?.(message.contents);
      break;
    case 'abort':
      runs.get(message.id)?.stop.abort();
      break;
    case 'keep':
      void keep().then(() => post({ kind: 'kept' }));
      break;
    case 'end':
      void leave();
      break;
    default:
      assertNever(message);
  }
}

// A signal to the whole group is for the service: this process ends when the service lets go of it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, () => {});
if (electronPort) electronPort.on('message', ({ data }) => receive(data));
else {
  process.on('message', receive);
  process.on('disconnect', () => void leave());
}
