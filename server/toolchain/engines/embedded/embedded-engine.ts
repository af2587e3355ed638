import { existsSync } from 'node:fs';
import type { Clock } from '../../../clock.ts';
import type { Logger } from '../../../log.ts';
import { AbortableWork } from '../../abortable.ts';
import type { ToolEngine, ToolResult, ToolRun } from '../../tool-engine.ts';
import { cacheFolder } from './cache-folder.ts';
import { compiledCodeFile } from './compiled-code-cache.ts';
import { type ForkTools, forkWithNode } from './fork-tools.ts';
import { createThreadEngine, type ThreadEngine } from './thread-engine.ts';
import { EVERY_BUILD, embeddedTool, embeddedVersions } from './tool-packages.ts';
import { ToolsClient } from './tools-client.ts';

/** Options of the embedded engine. */
export interface EmbeddedEngineOptions {
  logger: Logger;
  clock: Clock;
  /** Limit of a tool's linear memory, bytes. Yosys on a design that fills an HX8K stays below 300 MB, nextpnr below 250 MB. */
  memoryLimit: number;
  /** Starts the tools' process; default: with Node. Null: the tools run in threads of this process. */
  forkTools?: ForkTools | null;
}

/** The engine of the embedded tools, with its compiled-code cache. */
export interface EmbeddedEngine extends ToolEngine {
  /** Starts the process and loads the tools, in the background. */
  warm(): void;
  /** Whether the cache has the code of the tools that builds run; true when nothing is cached. */
  readonly compiled: boolean;
  /** Asks the process to store its compiled code; resolves when it is done. */
  keepCode(): Promise<void>;
}

/** Delay of compiling tools, ms. It keeps all cores busy for seconds; a new service answers callers before. */
const COMPILE_DELAY = 1000;

/** One client for each way to start the process, shared by all engines. */
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

/** Under Electron the caller must pass `forkTools`: Electron's executable does not run modules as Node does. */
const ownFork = (): ForkTools | null => (process.versions['electron'] === undefined ? forkWithNode : null);

/** Runs the WebAssembly tools of the npm packages in a separate process, or else in threads: see ToolEngine. */
export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { logger, clock, memoryLimit, forkTools = ownFork() } = options;
  const client = forkTools && clientOf(forkTools, options);
  const work = new AbortableWork();
  let threads: ThreadEngine | null = null;

  const inThreads = () => {
    threads ??= createThreadEngine({ logger, clock, memoryLimit });
    return threads;
  };

  async function run(request: ToolRun): Promise<ToolResult> {
    const tool = embeddedTool(request);
    return await work.run(request.signal, async (signal) => {
      const mine = { ...request, signal };
      const result = await client?.run(tool, mine, memoryLimit);
      return result ?? (await inThreads().run(mine));
    });
  }

  const compiled = () => {
    const folder = cacheFolder();
    if (client === null || folder === null) return true;
    return EVERY_BUILD.every((tool) => existsSync(compiledCodeFile(folder, tool, memoryLimit)));
  };

  return {
    name: 'embedded',
    versions: embeddedVersions,
    run,
    warm() {
      // Cached code loads in a quarter of a second on one core, in time for the first build.
      const isCached = client !== null && cacheFolder() !== null && compiled();
      clock.after(isCached ? 0 : COMPILE_DELAY, async () => {
        if (work.closed) return;
        if (!(await client?.warm(memoryLimit)) && !work.closed) await inThreads().warm();
      });
    },
    get compiled() {
      return compiled();
    },
    keepCode: async () => await client?.keep(),
    async close() {
      await work.close();
      await threads?.close();
    },
  };
}
