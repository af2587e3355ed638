import { existsSync } from 'node:fs';
import type { Logger } from '../../../log.ts';
import { CodeLooks } from './code-looks.ts';
import { compiledCodeFile, keepCode } from './compiled-code-cache.ts';
import { type CompiledTool, loadModule } from './load-module.ts';
import type { FromWorker, LoadTool, PackShare, SharePack } from './messages.ts';
import type { EmbeddedTool } from './tool-packages.ts';
import type { ToolThreads } from './tool-threads.ts';

/** Where what happened to tools is said. */
type ToolsLogger = Pick<Logger, 'info'>;

/** What a run of a tool needs. */
export interface LoadedTool extends CompiledTool {
  /** What it finds in `/share`. */
  share: SharePack | null;
}

interface Entry {
  tool: EmbeddedTool;
  loaded: Promise<LoadedTool>;
  /** Where its code is kept. */
  file: string | null;
  looks: CodeLooks;
}

/** Tools as compiled, by tool and limit of memory: each once. The compiled code is shared by all threads. */
export class LoadedTools {
  /** Where they are loaded, and run. */
  readonly threads: ToolThreads;
  readonly #folder: string | null;
  readonly #logger: ToolsLogger | undefined;
  readonly #entries = new Map<string, Entry>();
  #share: Promise<SharePack> | null = null;

  /** @param folder where compiled code is kept; null: nowhere */
  constructor(threads: ToolThreads, folder: string | null, logger?: ToolsLogger) {
    this.threads = threads;
    this.#folder = folder;
    this.#logger = logger;
  }

  /**
   * @param memoryLimit linear memory of the tool, bytes
   * @param here where its code is kept it is read in the thread that calls, which does nothing else meanwhile, and is not made to wait
   *   for a thread that has to be started
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
    this.#entries.set(key, { tool, loaded, file, looks: new CodeLooks() });
    loaded.then(
      ({ kept }) => this.#logger?.info({ tool, kept }, 'a tool is loaded'),
      () => this.#entries.delete(key),
    );
    return loaded;
  }

  /** The libraries of cells: made beside the loading of the tool that reads them. */
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

  /** Has a thread do one thing. @param expected what is wanted of its answer, null where that is another one */
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
          if (answer === null) fail(new Error('Loading a tool gave something that is no tool.'));
          else resolve(answer);
        },
        error: fail,
        exit: (code) => fail(new Error(`Loading a tool ended with code ${code}.`)),
      });
    });
  }

  /** A run of a loaded tool has ended well after so many seconds. */
  ran(tool: EmbeddedTool, memoryLimit: number, seconds: number): void {
    this.#entries.get(`${tool} ${memoryLimit}`)?.looks.ran(seconds);
  }

  /**
   * Keeps the code of the tools that have run: see keepCode. Only where nothing runs that must not end.
   * @throws what the file system says
   */
  async keep(): Promise<void> {
    for (const { tool, loaded, file, looks } of this.#entries.values()) {
      if (file === null || !looks.due) continue;
      const { module } = await loaded;
      const written = keepCode(file, module);
      looks.looked(written);
      if (written) this.#logger?.info({ tool }, 'the compiled code of a tool is kept');
    }
  }
}
