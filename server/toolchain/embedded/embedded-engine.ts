import type { Clock } from '../../clock.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Logger } from '../../log.ts';
import type { ToolEngine, ToolFiles, ToolResult, ToolRun } from '../toolchain.ts';
import type { LoadedTool } from './messages.ts';
import {
  EMBEDDED_TOOLS,
  type EmbeddedTool,
  embeddedVersion,
  hostFiles,
  isEmbeddedTool,
} from './tool-packages.ts';
import { loadTool, ToolThread } from './tool-thread.ts';

export interface EmbeddedEngineOptions {
  logger: Logger;
  clock: Clock;
  /** Linear memory of one tool, bytes. Yosys on a design that fills an HX8K stays below 300 MB, nextpnr below 250 MB. */
  memoryLimit: number;
  /** Threads that wait for a job, so that none has to be started for it. */
  spareThreads?: number;
}

export interface EmbeddedEngine extends ToolEngine {
  /** Compiles the tools and starts the spare threads, in the background. */
  warm(): void;
}

/** A thread is replaced when the job that took it has surely left, milliseconds. */
const REFILL_DELAY = 20;

/** Loading waits until a service that has just started has answered its first callers, milliseconds. */
const WARM_DELAY = 1000;

/** Part of the limit from which a trap is put down to memory: `malloc` often asks for the double at once. */
const EXHAUSTED = 1 / 3;

/** What `abort()` compiles to: out of memory, a failed assertion, an exception that cannot be thrown. */
const isAbort = (message: string) => message === 'unreachable';

/** The stack of a tool lies at the start of its memory: to run out of it is to leave that memory. */
const explainTrap = (message: string) =>
  /out of bounds|call stack/i.test(message)
    ? 'it ran out of stack, as endless recursion or very deep nesting makes it'
    : message;

const encoder = new TextEncoder();
const bytesOf = (contents: Uint8Array | string) =>
  typeof contents === 'string' ? encoder.encode(contents) : contents;
const entriesOf = (files: ToolFiles): [string, Uint8Array][] =>
  Object.entries(files).map(([path, contents]) => [path, bytesOf(contents)]);

/** Tools as compiled, by tool and limit of memory: once in a process, whatever engines it makes. */
const compiled = new Map<string, Promise<LoadedTool>>();

function compiledTool(tool: EmbeddedTool, memoryLimit: number): Promise<LoadedTool> {
  const key = `${tool} ${memoryLimit}`;
  let module = compiled.get(key);
  if (!module) {
    module = loadTool(tool, memoryLimit);
    compiled.set(key, module);
    module.catch(() => compiled.delete(key));
  }
  return module;
}

/** Runs the WebAssembly tools of the npm packages in worker threads: see ToolEngine. */
export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { logger, clock, memoryLimit, spareThreads = 2 } = options;
  const running = new Set<ToolThread>();
  let spare: ToolThread[] = [];
  let closed = false;

  const load = (tool: EmbeddedTool) => compiledTool(tool, memoryLimit);

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
    const { tool, signal } = request;
    if (!isEmbeddedTool(tool))
      throw toolchainError('tool_missing', {
        message: `${tool} is not among the embedded tools.`,
        remedy: `Install ${tool}, so that it is on the PATH of the service.`,
      });
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
          if (settled) return;
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
            finish(() =>
              resolve({
                files: Object.fromEntries(message.files),
                seconds: (clock.monotonic() - started) / 1000,
                peakMemory: memory,
              }),
            );
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
    warm() {
      clock.after(WARM_DELAY, async () => {
        try {
          // One after the other: the memory that loading takes is not wanted three times at once.
          for (const tool of EMBEDDED_TOOLS) if (!closed) await load(tool);
          refill();
        } catch (error) {
          logger.warn({ err: error }, 'a tool could not be loaded');
        }
      });
    },
    async close() {
      closed = true;
      await Promise.all([...spare, ...running].map((thread) => thread.terminate()));
    },
  };
}
