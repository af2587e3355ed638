import { existsSync } from 'node:fs';
import type { Clock } from '../../../clock.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { Logger } from '../../../log.ts';
import type { ToolEngine, ToolResult, ToolRun } from '../../tool-engine.ts';
import { cacheFolder } from './cache-folder.ts';
import { compiledCodeFile } from './compiled-code-cache.ts';
import { type ForkTools, forkWithNode } from './fork-tools.ts';
import { createThreadEngine, type ThreadEngine } from './thread-engine.ts';
import { EMBEDDED_TOOLS, embeddedTool, embeddedVersion } from './tool-packages.ts';
import { ToolsClient } from './tools-client.ts';

export interface EmbeddedEngineOptions {
  logger: Logger;
  clock: Clock;
  /** Linear memory of one tool, bytes. Yosys on a design that fills an HX8K stays below 300 MB, nextpnr below 250 MB. */
  memoryLimit: number;
  /** Starts the process for the tools; with Node when absent. Null: the tools run in threads of this process. */
  forkTools?: ForkTools | null;
}

export interface EmbeddedEngine extends ToolEngine {
  /** Starts the process and loads the tools, in the background. */
  warm(): void;
  /** Whether the code of the tools that builds run is kept on this machine; true where nothing is kept. */
  readonly compiled: boolean;
  /** Has the process keep the code of what has run; resolves when it has. */
  keepCode(): Promise<void>;
}

/** The tools that every build runs: icepack is what tests compare our packer with. */
const BUILD_TOOLS = ['yosys', 'nextpnr-ice40'] as const;

/**
 * Tools that have to be compiled keep all cores busy for seconds: that waits until a service that has just started has answered
 * its first callers, milliseconds.
 */
const COMPILE_DELAY = 1000;

/** The processes of this one, by what starts them: one for all engines. */
const clients = new Map<ForkTools, ToolsClient>();

function clientOf(fork: ForkTools, { logger, clock }: EmbeddedEngineOptions): ToolsClient {
  let client = clients.get(fork);
  if (!client) {
    client = new ToolsClient({ fork, codeFolder: cacheFolder(), clock, logger });
    clients.set(fork, client);
  }
  client.logger = logger;
  return client;
}

/** Electron's own way has to be handed in: its executable does not run modules as Node does. */
const ownFork = (): ForkTools | null => (process.versions['electron'] === undefined ? forkWithNode : null);

/**
 * Runs the WebAssembly tools of the npm packages in a process of their own, and where there is none in threads of this one:
 * see ToolEngine.
 */
export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { logger, clock, memoryLimit, forkTools = ownFork() } = options;
  const client = forkTools && clientOf(forkTools, options);
  const stops = new Set<AbortController>();
  const running = new Set<Promise<unknown>>();
  let threads: ThreadEngine | null = null;
  let closed = false;

  const inThreads = () => {
    threads ??= createThreadEngine({ logger, clock, memoryLimit });
    return threads;
  };

  async function run(request: ToolRun): Promise<ToolResult> {
    const tool = embeddedTool(request);
    const { signal } = request;
    const stop = new AbortController();
    const abort = () => stop.abort();
    if (closed || signal?.aborted) throw toolchainError('build_aborted');
    signal?.addEventListener('abort', abort, { once: true });
    stops.add(stop);
    const mine = { ...request, signal: stop.signal };
    const work = Promise.resolve(client?.run(tool, mine, memoryLimit)).then((result) => {
      if (result) return result;
      if (stop.signal.aborted) throw toolchainError('build_aborted');
      return inThreads().run(mine);
    });
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
      stops.delete(stop);
      signal?.removeEventListener('abort', abort);
    }
  }

  const compiled = () => {
    const folder = cacheFolder();
    if (client === null || folder === null) return true;
    return BUILD_TOOLS.every((tool) => existsSync(compiledCodeFile(folder, tool, memoryLimit)));
  };

  return {
    name: 'embedded',
    versions: async () => Object.fromEntries(EMBEDDED_TOOLS.map((tool) => [tool, embeddedVersion(tool)])),
    run,
    warm() {
      // What is compiled already takes a quarter of a second of one core, and the first build need not wait for it.
      const kept = client !== null && cacheFolder() !== null && compiled();
      clock.after(kept ? 0 : COMPILE_DELAY, async () => {
        if (closed) return;
        if (!(await client?.warm(memoryLimit)) && !closed) await inThreads().warm();
      });
    },
    get compiled() {
      return compiled();
    },
    keepCode: async () => await client?.keep(),
    async close() {
      closed = true;
      for (const stop of stops) stop.abort();
      await Promise.allSettled(running);
      await threads?.close();
    },
  };
}
