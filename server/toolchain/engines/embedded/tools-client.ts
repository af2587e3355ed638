import { type Clock, watchdog } from '../../../clock.ts';
import { assertNever } from '../../../errors/bench-error.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { distPath } from '../../../paths.ts';
import type { ToolResult, ToolRun } from '../../tool-engine.ts';
import type { ForkTools, ToolsChild } from './fork-tools.ts';
import { type FromTools, isFromTools, type RunFailure } from './process-messages.ts';
import { type EngineLogger, UNTIL_READ } from './thread-engine.ts';
import { bytesOf, entriesOf } from './tool-files.ts';
import type { EmbeddedTool } from './tool-packages.ts';

const ENTRY = distPath('server', 'tools-process.js');

/** Time limit of the process to become ready, ms; long enough for an overloaded machine. */
const START = 60_000;

/**
 * Idle time after which compiled code is stored, ms. V8 has finished optimising by then, and a user who works with a new
 * build is not disturbed. A process that ends earlier stores its code at the end.
 */
const UNTIL_STORE = 20_000;

/** Idle time after which the process ends, to free its memory, ms. */
const UNTIL_END = 45_000;

/** Time after which an aborted or overdue run counts as a hanging process, ms. */
const OVERDUE = 60_000;

/** Silence after which a process that runs tools counts as hanging, ms; its sign of life comes every ALIVE. */
const SILENCE = 60_000;

/** A run in the process. */
interface Pending {
  tool: EmbeddedTool;
  onLine: ToolRun['onLine'];
  resolve(result: ToolResult): void;
  reject(error: unknown): void;
}

interface Started {
  child: ToolsChild;
  /** Resolves with false when it ended before it was ready. */
  ready: Promise<boolean>;
}

const errorOf = ({ code, message, remedy, details }: RunFailure): Error =>
  code === null ? new Error(message) : toolchainError(code, { message, remedy, details });

/** The service's client of the tools' process. It starts the process on demand and ends it when it is idle. */
export class ToolsClient {
  readonly #fork: ForkTools;
  readonly #codeFolder: string | null;
  readonly #clock: Clock;
  readonly #untilStore: number;
  readonly #untilEnd: number;
  /** Logger of the latest engine; all engines share the process. */
  logger: EngineLogger;
  readonly #runs = new Map<number, Pending>();
  #lastId = 0;
  #started: Started | null = null;
  /** The process does not work on this machine, and is not started again. */
  #unusable = false;
  /** False after storing code has ended the process. */
  #canStore = true;
  /** Resolves when the code is stored. No run is sent meanwhile. */
  #storing: Promise<void> | null = null;
  #codeStored: (() => void) | null = null;
  /** Whether runs have ended since the last store. */
  #hasNewCode = false;
  #cancelRest = () => {};
  #cancelSilence = () => {};

  constructor(options: {
    fork: ForkTools;
    codeFolder: string | null;
    clock: Clock;
    logger: EngineLogger;
    /** Defaults: UNTIL_KEPT and UNTIL_END, ms. */
    untilKept?: number;
    untilEnd?: number;
  }) {
    this.#fork = options.fork;
    this.#codeFolder = options.codeFolder;
    this.#clock = options.clock;
    this.#untilStore = options.untilKept ?? UNTIL_STORE;
    this.#untilEnd = options.untilEnd ?? UNTIL_END;
    this.logger = options.logger;
  }

  /** Loads the tools. @returns false when the process cannot be used */
  async warm(memoryLimit: number): Promise<boolean> {
    const child = await this.#ready(memoryLimit);
    child?.post({ kind: 'warm', memoryLimit });
    if (this.#runs.size === 0) this.#rest();
    return child !== null;
  }

  /**
   * Runs a tool: see ToolEngine.run.
   * @returns null when the process cannot be used
   */
  async run(tool: EmbeddedTool, request: ToolRun, memoryLimit: number): Promise<ToolResult | null> {
    const child = await this.#ready(memoryLimit);
    if (!child) return null;
    if (request.signal?.aborted) {
      if (this.#runs.size === 0) this.#rest();
      throw toolchainError('build_aborted');
    }
    const id = ++this.#lastId;
    const { signal, late = {}, deadline } = request;
    /** Why a late file could not be made. */
    let reason: { error: unknown } | null = null;
    let cancelOverdue = () => {};
    const watch = (ms: number) => {
      cancelOverdue();
      cancelOverdue = watchdog(this.#clock, ms + OVERDUE, UNTIL_READ, () => child.kill());
    };
    let aborted = false;
    const abort = () => {
      aborted = true;
      watch(0);
      child.post({ kind: 'abort', id });
    };
    this.#cancelRest();
    child.hold(true);
    const ended = new Promise<ToolResult>((resolve, reject) =>
      this.#runs.set(id, { tool, onLine: request.onLine, resolve, reject }),
    );
    child.post({
      kind: 'run',
      id,
      tool,
      memoryLimit,
      args: request.args,
      files: entriesOf(request.files),
      late: Object.keys(late),
      outputs: request.outputs,
      deadline,
    });
    this.#expectWord(child);
    signal?.addEventListener('abort', abort, { once: true });
    Promise.all(
      Object.entries(late).map(async ([path, contents]) => {
        const bytes = bytesOf(await contents);
        if (this.#runs.has(id)) child.post({ kind: 'file', id, path, contents: bytes });
      }),
    ).then(
      () => this.#runs.has(id) && !aborted && watch(deadline * 1000),
      (error: unknown) => {
        if (!this.#runs.has(id)) return;
        reason ??= { error };
        abort();
      },
    );
    try {
      return await ended;
    } catch (error) {
      throw reason === null ? error : (reason as { error: unknown }).error;
    } finally {
      cancelOverdue();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Stores the compiled code at once; resolves when it is done, or there is nothing to store. */
  async keep(): Promise<void> {
    const { child } = this.#started ?? {};
    if (!child || this.#runs.size > 0) return;
    this.#cancelRest();
    child.hold(true);
    this.#store(child);
    await this.#storing;
    if (this.#started?.child === child && this.#runs.size === 0) this.#rest();
  }

  /** The process, ready for a run; null when it cannot be used. The caller must not await anything before the run. */
  async #ready(memoryLimit: number): Promise<ToolsChild | null> {
    while (!this.#unusable) {
      if (this.#storing) {
        this.#started?.child.hold(true);
        await this.#storing;
        continue;
      }
      this.#cancelRest();
      this.#started ??= this.#start(memoryLimit);
      const started = this.#started;
      if ((await started?.ready) && this.#started === started && !this.#storing)
        return started?.child ?? null;
    }
    return null;
  }

  #start(memoryLimit: number): Started | null {
    let child: ToolsChild;
    try {
      child = this.#fork(ENTRY);
    } catch (error) {
      this.#giveUp(String(error));
      return null;
    }
    let ready = false;
    let settle: (ready: boolean) => void = () => {};
    const started: Started = {
      child,
      ready: new Promise((resolve) => {
        settle = resolve;
      }),
    };
    const cancelStart = watchdog(this.#clock, START, UNTIL_READ, () => {
      this.#giveUp('it was not ready in time');
      child.kill();
    });
    child.listen(
      (message) => {
        if (!isFromTools(message)) return child.kill();
        if (message.kind === 'ready') {
          ready = true;
          cancelStart();
          settle(true);
        } else {
          this.#receive(message);
          if (this.#started === started) this.#expectWord(child);
        }
      },
      (how) => {
        cancelStart();
        if (!ready) this.#giveUp(how);
        if (this.#started === started) this.#ended(how);
        settle(false);
      },
    );
    child.hold(true);
    child.post({ kind: 'start', codeFolder: this.#codeFolder, memoryLimit });
    return started;
  }

  /** Restarts the watch for silence; it is active while there are runs. */
  #expectWord(child: ToolsChild): void {
    this.#cancelSilence();
    if (this.#runs.size === 0) return;
    this.#cancelSilence = watchdog(this.#clock, SILENCE, UNTIL_READ, () => {
      this.logger.warn({ silence: SILENCE }, 'the tool process does not respond: it is stopped');
      child.kill();
    });
  }

  #giveUp(reason: string): void {
    if (!this.#unusable)
      this.logger.warn({ reason }, 'the tool process cannot be used: tools run in threads of the service');
    this.#unusable = true;
  }

  #receive(message: Exclude<FromTools, { kind: 'ready' }>): void {
    switch (message.kind) {
      case 'log':
        this.logger[message.level](Object.fromEntries(message.fields), message.text);
        break;
      case 'kept':
        this.#codeStored?.();
        break;
      case 'alive':
        break;
      case 'lines': {
        const run = this.#runs.get(message.id);
        for (const line of message.lines) run?.onLine(line);
        break;
      }
      case 'done': {
        const { files, seconds, peakMemory } = message;
        this.#hasNewCode = true;
        this.#take(message.id)?.resolve({ files: Object.fromEntries(files), seconds, peakMemory });
        break;
      }
      case 'failed':
        this.#take(message.id)?.reject(errorOf(message.failure));
        break;
      default:
        assertNever(message);
    }
  }

  /** Removes an ended run. */
  #take(id: number): Pending | undefined {
    const run = this.#runs.get(id);
    this.#runs.delete(id);
    if (this.#runs.size === 0) this.#rest();
    return run;
  }

  /** Schedules the store of code and the end of the idle process. */
  #rest(): void {
    const { child } = this.#started ?? {};
    this.#cancelRest();
    if (!child) return;
    child.hold(false);
    const cancelStore = this.#clock.after(this.#untilStore, () => this.#store(child));
    const cancelEnd = this.#clock.after(this.#untilEnd, () => {
      // After a suspension both timers are due, in any order. An ended process stores nothing, and no run may wait for it.
      cancelStore();
      this.#started = null;
      this.#codeStored?.(); // the next run starts another process
      child.post({ kind: 'end' });
    });
    this.#cancelRest = () => {
      cancelStore();
      cancelEnd();
    };
  }

  #store(child: ToolsChild): void {
    if (!this.#hasNewCode || !this.#canStore || this.#codeFolder === null) return;
    this.#hasNewCode = false;
    this.#storing = new Promise((resolve) => {
      this.#codeStored = () => {
        this.#storing = null;
        this.#codeStored = null;
        resolve();
      };
    });
    child.post({ kind: 'keep' });
  }

  #ended(how: string): void {
    this.#started = null;
    this.#cancelRest();
    this.#cancelSilence();
    if (this.#codeStored) {
      this.#canStore = false;
      this.logger.warn(
        { how },
        'the tool process exited while it stored compiled code: the bench no longer stores it',
      );
      this.#codeStored();
    } else if (!this.#unusable) this.logger.warn({ how }, 'the tool process has exited');
    const runs = [...this.#runs.values()];
    this.#runs.clear();
    for (const { tool, reject } of runs)
      reject(
        toolchainError('tool_crashed', {
          message: `The process that ran ${tool} exited (${how}).`,
          remedy:
            'Submit the design again. If it happens again, check whether the computer runs out of memory.',
          details: { tool },
        }),
      );
  }
}
