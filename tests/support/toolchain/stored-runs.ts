import { digest, filesBelow } from '../../../dist.mjs';
import { toolchainError } from '../../../server/errors/toolchain.ts';
import type { ForkTools, ToolsChild } from '../../../server/toolchain/engines/embedded/fork-tools.ts';
import {
  type FromTools,
  isFromTools,
  type ToTools,
} from '../../../server/toolchain/engines/embedded/process-messages.ts';

import { hasResult, readResult, resultName, writeResult } from '../stored-results.ts';
import { forkShared } from './shared-tools.ts';

/** Sources that influence the result of a run, besides its tool, arguments and files. */
const MAKERS = ['server/toolchain/engines/embedded', 'resources/yosys'];
const LIBRARIES = 'server/toolchain/families/index.ts';

type Run = Extract<ToTools, { kind: 'run' }>;
type End = Extract<FromTools, { kind: 'done' | 'failed' }>;
/** Output and end of a run. */
interface StoredRun {
  lines: string[];
  end: End;
}

const MADE_BY = digest([...MAKERS.flatMap(filesBelow), LIBRARIES, 'package-lock.json']);

/** Name of a run without the files that arrive later. */
const nameOf = ({ tool, memoryLimit, args, late, outputs, deadline, files }: Run): string => {
  const names = files.map(([name]) => name);
  const run = JSON.stringify([MADE_BY, tool, memoryLimit, args, late, outputs, deadline, names]);
  return resultName(run, ...files.map(([, contents]) => contents));
};

/** Name of a run with the files that arrived later. */
const nameWith = ({ name, request: { late }, arrived }: OpenRun): string =>
  late.length === 0 ? name : resultName(name, ...late.map((file) => arrived.get(file)!));

/** Whether a run ends like this every time. A deadline, a stack overflow or a killed process does not repeat. */
const isRepeatable = (end: End): boolean =>
  end.kind === 'done' || end.failure.code === 'tool_failed' || end.failure.code === 'tool_memory';

/** A run that has not ended. */
interface OpenRun {
  request: Run;
  name: string;
  arrived: Map<string, Uint8Array>;
  /** Output so far; null until the real tool is started. */
  lines: string[] | null;
}

/** Answers stored runs, and uses the tools' process from the first run that is not stored. */
class StoringChild implements ToolsChild {
  readonly #entry: string;
  readonly #open = new Map<number, OpenRun>();
  #real: ToolsChild | null = null;
  #start: ToTools | null = null;
  #holds = false;
  #tell: (message: FromTools) => void = () => {};
  #ended: (how: string) => void = () => {};

  constructor(entry: string) {
    this.#entry = entry;
  }

  listen(message: (message: unknown) => void, ended: (how: string) => void): void {
    this.#tell = message;
    this.#ended = ended;
  }

  hold(keepAlive: boolean): void {
    this.#holds = keepAlive;
    this.#real?.hold(keepAlive);
  }

  kill(): void {
    if (this.#real) this.#real.kill();
    else this.#ended('SIGKILL');
  }

  post(message: ToTools): void {
    switch (message.kind) {
      case 'start':
        this.#start = message;
        setImmediate(() => this.#tell({ kind: 'ready' }));
        return;
      case 'run': {
        const run = { request: message, name: nameOf(message), arrived: new Map(), lines: null };
        this.#open.set(message.id, run);
        if (message.late.length === 0) this.#find(run);
        // Without a stored run of this name the tool starts before its files arrive, as in the service.
        else if (!hasResult(run.name)) this.#run(run);
        return;
      }
      case 'file': {
        const run = this.#open.get(message.id);
        run?.arrived.set(message.path, message.contents);
        if (!run || run.lines) this.#real?.post(message);
        else if (run.arrived.size === run.request.late.length) this.#find(run);
        return;
      }
      case 'abort':
        if (this.#open.get(message.id)?.lines === null) this.#abort(message.id);
        else this.#real?.post(message);
        return;
      case 'keep':
        if (this.#real) this.#real.post(message);
        else setImmediate(() => this.#tell({ kind: 'kept' }));
        return;
      case 'end':
        if (this.#real) this.#real.post(message);
        else this.#ended('code 0');
        return;
      default:
        // Tools are loaded for the first real run.
        return;
    }
  }

  #find(run: OpenRun): void {
    const stored = readResult(nameWith(run)) as StoredRun | undefined;
    if (!stored) {
      this.#run(run);
      return;
    }
    const { id } = run.request;
    setImmediate(() => {
      if (!this.#open.delete(id)) return;
      if (stored.lines.length > 0) this.#tell({ kind: 'lines', id, lines: stored.lines });
      this.#tell({ ...stored.end, id });
    });
  }

  #abort(id: number): void {
    this.#open.delete(id);
    const { message, remedy } = toolchainError('build_aborted');
    const failure = { code: 'build_aborted', message, remedy, details: {} } as const;
    setImmediate(() => this.#tell({ kind: 'failed', id, failure }));
  }

  #run(run: OpenRun): void {
    run.lines = [];
    this.#real ??= this.#fork();
    this.#real.post(run.request);
    for (const [file, contents] of run.arrived)
      this.#real.post({ kind: 'file', id: run.request.id, path: file, contents });
  }

  #fork(): ToolsChild {
    const real = forkShared(this.#entry);
    real.listen(
      (message) => {
        if (isFromTools(message)) this.#receive(message);
      },
      (how) => this.#ended(how),
    );
    real.hold(this.#holds);
    real.post(this.#start!);
    return real;
  }

  #receive(message: FromTools): void {
    if (message.kind === 'ready') return;
    if (message.kind === 'lines') this.#open.get(message.id)?.lines?.push(...message.lines);
    if (message.kind === 'done' || message.kind === 'failed') {
      const run = this.#open.get(message.id);
      this.#open.delete(message.id);
      if (run && isRepeatable(message)) this.#store(run, message);
    }
    this.#tell(message);
  }

  #store(run: OpenRun, end: End): void {
    const { request, name, arrived, lines } = run;
    // A tool may fail before its late files arrive.
    if (lines === null || arrived.size < request.late.length) return;
    writeResult(nameWith(run), { lines, end } satisfies StoredRun);
    // Marks that a run with these files in advance is stored.
    if (request.late.length > 0) writeResult(name, null);
  }
}

/**
 * Starts the embedded tools as a service does, but answers a run from its stored result. The tools are deterministic and
 * see only their arguments and files, so a change of these runs them. For tests whose subject is the input of the tools
 * and the use of their output.
 */
export const forkWithStoredRuns: ForkTools = (entry) => new StoringChild(entry);
