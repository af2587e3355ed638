import { existsSync } from 'node:fs';
import type { Logger } from '../../../log.ts';
import { compiledCodeFile, keepCode } from './compiled-code-cache.ts';
import { type CompiledTool, loadModule } from './load-module.ts';
import type { FromWorker, LoadTool, PackShare, SharePack } from './messages.ts';
import type { EmbeddedTool } from './tool-packages.ts';
import type { ToolThreads } from './tool-threads.ts';

/** Running time after which V8 has optimised new code, seconds. */
const MIN_SECONDS = 0.1;

/** Logger of LoadedTools. */
type ToolsLogger = Pick<Logger, 'info'>;

/** What a run of a tool needs. */
export interface LoadedTool extends CompiledTool {
  /** Contents of its `/share`. */
  share: SharePack | null;
}

interface Entry {
  tool: EmbeddedTool;
  loaded: Promise<LoadedTool>;
  /** File of its cached code. */
  file: string | null;
  /** Seconds of successful runs since its code was last compared with the cache. */
  ran: number;
}

/** Compiled tools by tool and memory limit. Each is compiled once, and all threads share the code. */
export class LoadedTools {
  /** The threads that load and run the tools. */
  readonly threads: ToolThreads;
  readonly #folder: string | null;
  readonly #logger: ToolsLogger | undefined;
  readonly #entries = new Map<string, Entry>();
  #share: Promise<SharePack> | null = null;

  /** @param folder of the compiled-code cache; null: no cache */
  constructor(threads: ToolThreads, folder: string | null, logger?: ToolsLogger) {
    this.threads = threads;
    this.#folder = folder;
    this.#logger = logger;
  }

  /**
   * Loads a tool once.
   * @param memoryLimit linear memory of the tool, bytes
   * @param here loads cached code in the calling thread, which must be idle, without waiting for another thread to start
   */
  load(tool: EmbeddedTool, memoryLimit: number, here = false): Promise<LoadedTool> {
    const key = `${tool} ${memoryLimit}`;
    const known = this.#entries.get(key);
    if (known) return known.loaded;
    const file = this.#folder === null ? null : compiledCodeFile(this.#folder, tool, memoryLimit);
    const share = tool === 'yosys' ? this.#packedShare() : null;
    const loaded = Promise.all([this.#compiled(tool, memoryLimit, file, here), share]).then(
      ([compiled, packed]) => ({ ...compiled, share: packed }),
    );
    this.#entries.set(key, { tool, loaded, file, ran: 0 });
    loaded.then(
      ({ kept }) => this.#logger?.info({ tool, kept }, 'a tool is loaded'),
      () => this.#entries.delete(key),
    );
    return loaded;
  }

  /** Cell libraries. They are packed while the tool that reads them is loaded. */
  #packedShare(): Promise<SharePack> {
    this.#share ??= this.#ask({ kind: 'pack-share' }, (answer) =>
      answer.kind === 'share' ? answer.share : null,
    );
    this.#share.catch(() => {
      this.#share = null;
    });
    return this.#share;
  }

  async #compiled(
    tool: EmbeddedTool,
    memoryLimit: number,
    code: string | null,
    here: boolean,
  ): Promise<CompiledTool> {
    if (here && code !== null && existsSync(code)) return loadModule(tool, memoryLimit, code);
    return this.#ask({ kind: 'load', tool, memoryLimit, code }, (answer) =>
      answer.kind === 'loaded' ? answer : null,
    );
  }

  /** Has a thread serve a request. @param expected extracts the result from the answer; null for a wrong answer */
  #ask<T>(request: LoadTool | PackShare, expected: (answer: FromWorker) => T | null): Promise<T> {
    const { threads } = this;
    const thread = threads.take();
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        void threads.end(thread);
        reject(error);
      };
      thread.begin(request, {
        message(message) {
          if (message.kind === 'waiting') return threads.giveBack(thread);
          const answer = expected(message);
          if (answer === null) fail(new Error('The thread that loads a tool sent an invalid answer.'));
          else resolve(answer);
        },
        error: fail,
        exit: (code) => fail(new Error(`The thread that loads a tool exited with code ${code}.`)),
      });
    });
  }

  /** Notes a successful run and its duration in seconds. */
  addRun(tool: EmbeddedTool, memoryLimit: number, seconds: number): void {
    const entry = this.#entries.get(`${tool} ${memoryLimit}`);
    if (entry) entry.ran += seconds;
  }

  /**
   * Stores the code of tools that have run: see keepCode. Call it only while nothing runs, because the process may end.
   * @throws errors of the file system
   */
  async keep(): Promise<void> {
    for (const entry of this.#entries.values()) {
      const { tool, loaded, file } = entry;
      if (file === null || entry.ran < MIN_SECONDS) continue;
      entry.ran = 0;
      const { module } = await loaded;
      if (keepCode(file, module)) this.#logger?.info({ tool }, 'compiled code of a tool was stored');
    }
  }
}
