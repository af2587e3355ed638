import { type Clock, systemClock, watchdog } from '../../../clock.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { Logger } from '../../../log.ts';
import type { ToolEngine, ToolResult, ToolRun } from '../../tool-engine.ts';
import { type LoadedTool, LoadedTools } from './loaded-tools.ts';
import { type ToWorker, UNCAUGHT } from './messages.ts';
import { OutputLines } from './output-lines.ts';
import { bytesOf, entriesOf } from './tool-files.ts';
import {
  type EmbeddedTool,
  EVERY_BUILD,
  embeddedTool,
  embeddedVersions,
  hostFiles,
} from './tool-packages.ts';
import type { ThreadListener, ToolThread } from './tool-thread.ts';
import { ToolThreads } from './tool-threads.ts';

/** Logger of an engine. */
export type EngineLogger = Pick<Logger, 'info' | 'warn'>;

/** Options of the thread engine. */
export interface ThreadEngineOptions {
  logger: EngineLogger;
  clock: Clock;
  /** Limit of a tool's linear memory, bytes. Yosys on a design that fills an HX8K stays below 300 MB, nextpnr below 250 MB. */
  memoryLimit: number;
  /** Compiled tools with their threads; default: those of this process. */
  tools?: LoadedTools;
}

/** An engine that runs tools in threads of this process. */
export interface ThreadEngine extends ToolEngine {
  /** Starts threads in advance; rejects when none can be started. */
  ready(): Promise<void>;
  /**
   * Loads the tools of every build. Failures are logged.
   * @param here loads the first one in the calling thread when it is cached: see LoadedTools.load
   */
  warm(here?: boolean): Promise<void>;
}

/** Part of the memory limit above which a trap counts as lack of memory: `malloc` often requests twice the size. */
const EXHAUSTED = 1 / 3;

/** Time after which a thread that has not begun its job counts as hanging, ms. An overloaded machine needs long. */
const UNTIL_BEGUN = 60_000;

/** Extra time of a watchdog to read pending messages of a thread or a process, ms. */
export const UNTIL_READ = 1000;

/** Traps of `abort()` and of C++ exceptions: out of memory, or a failed assertion. */
const isAbort = (message: string) => message === 'unreachable' || message === UNCAUGHT;

/** Explains a trap. A tool's stack lies at the start of its memory: a stack overflow leaves the memory. */
const explainTrap = (message: string) =>
  /out of bounds|call stack/i.test(message)
    ? 'stack overflow: endless recursion or very deep nesting'
    : message;

/** One for all engines of the process. */
const compiled = new LoadedTools(new ToolThreads(systemClock), null);

/**
 * Runs the WebAssembly tools of the npm packages in worker threads: see ToolEngine. Each run has an instance of its tool
 * with its own memory and files. A thread whose tool does not end by itself is ended.
 */
export function createThreadEngine(options: ThreadEngineOptions): ThreadEngine {
  const { logger, clock, memoryLimit, tools = compiled } = options;
  const { threads } = tools;
  const running = new Set<ToolThread>();
  let closed = false;

  const load = (tool: EmbeddedTool) => tools.load(tool, memoryLimit);

  async function run(request: ToolRun): Promise<ToolResult> {
    const tool = embeddedTool(request);
    const { signal } = request;
    if (closed || signal?.aborted) throw toolchainError('build_aborted');
    const { module, share } = await load(tool);
    if (closed || signal?.aborted) throw toolchainError('build_aborted');
    const thread = threads.take();
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

      const output = new OutputLines(thread.output, clock, (line) => {
        if (/^(?:\S+:\d+: )?ERROR: /.test(line)) lastError = line;
        if (/\bbad_alloc\b/.test(line)) outOfMemory = true;
        request.onLine(line);
      });
      const finish = (conclude: () => void) => {
        if (settled) return;
        settled = true;
        output.end();
        cancelBegin();
        cancelDeadline();
        request.signal?.removeEventListener('abort', abort);
        conclude();
      };
      const fail = (error: unknown) =>
        finish(() => {
          // Reject only when the thread is gone and its memory is free.
          void threads.end(thread).then(() => reject(error));
        });
      const abort = () => fail(toolchainError('build_aborted'));
      request.signal?.addEventListener('abort', abort, { once: true });
      const cancelBegin = watchdog(clock, UNTIL_BEGUN, UNTIL_READ, () =>
        fail(
          toolchainError('tool_crashed', {
            message: `${tool} did not start: its thread does not respond.`,
            remedy: 'Submit the design again.',
            details: { tool },
          }),
        ),
      );

      const listener: ThreadListener = {
        message(message) {
          if (message.kind === 'waiting') threads.giveBack(thread);
          if (settled) return;
          if (message.kind === 'begun') return cancelBegin();
          if (message.kind === 'full') return output.read();
          if (message.kind !== 'end') return;
          output.end(); // the last lines decide about the error below
          const { outcome, memory } = message;
          if (outcome.kind === 'trap') {
            logger.info({ tool, trap: outcome.message, memory }, 'a tool trapped');
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
            // A normal exit: the thread can serve the next run.
            const failed = toolchainError('tool_failed', {
              message:
                lastError === '' ? `${tool} exited with code ${outcome.code}.` : `${tool}: ${lastError}`,
              details: { tool, exitCode: outcome.code },
            });
            finish(() => reject(failed));
          } else {
            const seconds = (clock.monotonic() - started) / 1000;
            tools.addRun(tool, memoryLimit, seconds);
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
        exit: () => fail(toolchainError('tool_crashed', { message: `${tool} exited without a result.` })),
      };

      const late = Object.entries(request.late ?? {});
      const startDeadline = () => {
        if (settled) return;
        started = clock.monotonic();
        cancelDeadline = clock.after(request.deadline * 1000, () =>
          fail(
            toolchainError('tool_deadline', {
              message: `${tool} was stopped after ${request.deadline} s.`,
              details: { tool, deadline: request.deadline },
            }),
          ),
        );
      };
      const job: ToWorker = {
        kind: 'job',
        tool,
        module,
        share,
        args: request.args,
        files: entriesOf(request.files),
        late: late.map(([path]) => path),
        hostFiles: hostFiles(tool, request.args),
        outputs: request.outputs,
      };
      thread.begin(job, listener);
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
    versions: embeddedVersions,
    run,
    ready: () => threads.ready(),
    async warm(here = false) {
      try {
        // One after the other, to limit the memory that loading takes.
        for (const [i, tool] of EVERY_BUILD.entries())
          if (!closed) await tools.load(tool, memoryLimit, here && i === 0);
      } catch (error) {
        logger.warn({ err: error }, 'a tool could not be loaded');
      }
    },
    async close() {
      closed = true;
      await Promise.all([...running].map((thread) => thread.terminate()));
    },
  };
}
