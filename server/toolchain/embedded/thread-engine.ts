import type { Clock } from '../../clock.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Logger } from '../../log.ts';
import type { ToolEngine, ToolResult, ToolRun } from '../toolchain.ts';
import { LoadedTools } from './loaded-tools.ts';
import type { LoadedTool } from './messages.ts';
import { bytesOf, entriesOf } from './tool-files.ts';
import {
  EMBEDDED_TOOLS,
  type EmbeddedTool,
  embeddedTool,
  embeddedVersion,
  hostFiles,
} from './tool-packages.ts';
import { ToolThread } from './tool-thread.ts';

/** Where an engine says what happened. */
export type EngineLogger = Pick<Logger, 'info' | 'warn'>;

export interface ThreadEngineOptions {
  logger: EngineLogger;
  clock: Clock;
  /** Linear memory of one tool, bytes. Yosys on a design that fills an HX8K stays below 300 MB, nextpnr below 250 MB. */
  memoryLimit: number;
  /** Threads that wait for a job, so that none has to be started for it. */
  spareThreads?: number;
  /** Tools as compiled; those of this process when absent. */
  tools?: LoadedTools;
}

export interface ThreadEngine extends ToolEngine {
  /** Starts the spare threads; rejects where a thread cannot be started. */
  ready(): Promise<void>;
  /** Compiles the tools of every build and starts the spare threads. What fails is logged. */
  warm(): Promise<void>;
}

/** Tools that every build runs, in the order in which it does; others are loaded when they are asked for. */
const EVERY_BUILD: readonly EmbeddedTool[] = ['yosys', 'nextpnr-ice40'];

/** A thread is replaced when the job that took it has surely left, milliseconds. */
const REFILL_DELAY = 20;

/** Part of the limit from which a trap is put down to memory: `malloc` often asks for the double at once. */
const EXHAUSTED = 1 / 3;

/** What `abort()` compiles to: out of memory, a failed assertion, an exception that cannot be thrown. */
const isAbort = (message: string) => message === 'unreachable';

/** The stack of a tool lies at the start of its memory: to run out of it is to leave that memory. */
const explainTrap = (message: string) =>
  /out of bounds|call stack/i.test(message)
    ? 'it ran out of stack, as endless recursion or very deep nesting makes it'
    : message;

/** Tools as compiled: once in a process, whatever engines it makes. */
const compiled = new LoadedTools(null);

/** Runs the WebAssembly tools of the npm packages in worker threads: see ToolEngine. */
export function createThreadEngine(options: ThreadEngineOptions): ThreadEngine {
  const { logger, clock, memoryLimit, spareThreads = 2, tools = compiled } = options;
  const running = new Set<ToolThread>();
  let spare: ToolThread[] = [];
  let closed = false;

  const load = (tool: EmbeddedTool) => tools.load(tool, memoryLimit);

  const refill = () => {
    spare = spare.filter((thread) => !thread.ended);
    while (!closed && spare.length < spareThreads) spare.push(new ToolThread());
  };

  const takeThread = (): ToolThread => {
    let thread = spare.shift();
    while (thread?.ended) thread = spare.shift();
    clock.after(REFILL_DELAY, refill);
    return thread ?? new ToolThread();
  };

  async function run(request: ToolRun): Promise<ToolResult> {
    const tool = embeddedTool(request);
    const { signal } = request;
    if (closed || signal?.aborted) throw toolchainError('build_aborted');
    const { module, share } = await load(tool);
    if (closed || signal?.aborted) throw toolchainError('build_aborted');
    const thread = takeThread();
    running.add(thread);
    try {
      return await runOn(thread, tool, module, share, request);
    } finally {
      running.delete(thread);
    }
  }

  function runOn(
    thread: ToolThread,
    tool: EmbeddedTool,
    module: WebAssembly.Module,
    share: LoadedTool['share'],
    request: ToolRun,
  ): Promise<ToolResult> {
    return new Promise((resolve, reject) => {
      let cancelDeadline = () => {};
      let started = clock.monotonic();
      let settled = false;
      let lastError = '';
      let outOfMemory = false;

      const finish = (conclude: () => void) => {
        if (settled) return;
        settled = true;
        cancelDeadline();
        request.signal?.removeEventListener('abort', abort);
        conclude();
      };
      const fail = (error: unknown) =>
        finish(() => {
          // Reported only when the thread is gone, so that its memory is free by then.
          void thread.terminate().then(() => reject(error));
        });
      const abort = () => fail(toolchainError('build_aborted'));
      request.signal?.addEventListener('abort', abort, { once: true });

      thread.listen({
        message(message) {
          if (settled || message.kind === 'waiting') return;
          if (message.kind === 'lines') {
            for (const line of message.lines) {
              if (/^(?:\S+:\d+: )?ERROR: /.test(line)) lastError = line;
              if (/\bbad_alloc\b/.test(line)) outOfMemory = true;
              request.onLine(line);
            }
            return;
          }
          const { outcome, memory } = message;
          if (outcome.kind === 'trap') {
            logger.info({ tool, trap: outcome.message, memory }, 'a tool has trapped');
            fail(
              outOfMemory || (isAbort(outcome.message) && memory >= memoryLimit * EXHAUSTED)
                ? toolchainError('tool_memory', {
                    message: `${tool} needed more than the ${Math.round(memoryLimit / 2 ** 20)} MiB of memory it may use.`,
                    details: { tool, memory },
                  })
                : toolchainError('tool_crashed', {
                    message: `${tool} crashed on this design (${explainTrap(outcome.message)}).`,
                    details: { tool, memory },
                  }),
            );
          } else if (outcome.code !== 0) {
            fail(
              toolchainError('tool_failed', {
                message:
                  lastError === ''
                    ? `${tool} ended with exit code ${outcome.code}.`
                    : `${tool}: ${lastError}`,
                details: { tool, exitCode: outcome.code },
              }),
            );
          } else {
            const seconds = (clock.monotonic() - started) / 1000;
            tools.ran(tool, memoryLimit, seconds);
            finish(() => resolve({ files: Object.fromEntries(message.files), seconds, peakMemory: memory }));
          }
        },
        error(error) {
          const memory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
          fail(
            toolchainError(memory ? 'tool_memory' : 'tool_crashed', {
              message: memory
                ? `${tool} needed more memory than it may use.`
                : `${tool} crashed on this design.`,
              details: { tool },
              cause: error,
            }),
          );
        },
        exit: () => fail(toolchainError('tool_crashed', { message: `${tool} ended without a result.` })),
      });

      const late = Object.entries(request.late ?? {});
      const startDeadline = () => {
        if (settled) return;
        started = clock.monotonic();
        cancelDeadline = clock.after(request.deadline * 1000, () =>
          fail(
            toolchainError('tool_deadline', {
              message: `${tool} was ended after ${request.deadline} s.`,
              details: { tool, deadline: request.deadline },
            }),
          ),
        );
      };
      thread.send({
        kind: 'job',
        tool,
        module,
        share,
        args: request.args,
        files: entriesOf(request.files),
        late: late.map(([path]) => path),
        hostFiles: hostFiles(tool, request.args),
        outputs: request.outputs,
      });
      Promise.all(
        late.map(async ([path, contents]) => {
          const bytes = bytesOf(await contents);
          if (!settled) thread.send({ kind: 'file', path, contents: bytes });
        }),
      ).then(startDeadline, fail);
    });
  }

  return {
    name: 'embedded',
    supports: (family) => family === 'ice40',
    versions: async () => Object.fromEntries(EMBEDDED_TOOLS.map((tool) => [tool, embeddedVersion(tool)])),
    run,
    async ready() {
      refill();
      await spare[0]?.started;
    },
    async warm() {
      try {
        // One after the other: the memory that loading takes is not wanted twice at once.
        for (const tool of EVERY_BUILD) if (!closed) await load(tool);
        refill();
      } catch (error) {
        logger.warn({ err: error }, 'a tool could not be loaded');
      }
    },
    async close() {
      closed = true;
      await Promise.all([...spare, ...running].map((thread) => thread.terminate()));
    },
  };
}
