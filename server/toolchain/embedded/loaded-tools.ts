import type { Logger } from '../../log.ts';
import { keepCode, keptCodeFile } from './kept-code.ts';
import type { LoadedTool, LoadTool } from './messages.ts';
import type { EmbeddedTool } from './tool-packages.ts';
import type { ToolThreads } from './tool-threads.ts';

/** Where what happened to tools is said. */
type ToolsLogger = Pick<Logger, 'info'>;

interface Entry {
  tool: EmbeddedTool;
  loaded: Promise<LoadedTool>;
  /** Where its code is kept. */
  file: string | null;
  /** Seconds that runs took which ended well, since its code was last looked at. */
  ran: number;
  /** How often its code may still be looked at. */
  left: number;
}

/** V8 has optimised little of a tool that ran for less, seconds. */
const ENOUGH = 0.1;

/** How often a process looks whether more of a tool's code is worth being kept. */
const MOST_LOOKS = 6;

/** Tools as compiled, by tool and limit of memory: each once. The compiled code is shared by all threads. */
export class LoadedTools {
  /** Where they are loaded, and run. */
  readonly threads: ToolThreads;
  readonly #folder: string | null;
  readonly #logger: ToolsLogger | undefined;
  readonly #entries = new Map<string, Entry>();

  /** @param folder where compiled code is kept; null: nowhere */
  constructor(threads: ToolThreads, folder: string | null, logger?: ToolsLogger) {
    this.threads = threads;
    this.#folder = folder;
    this.#logger = logger;
  }

  /** @param memoryLimit linear memory of the tool, bytes */
  load(tool: EmbeddedTool, memoryLimit: number): Promise<LoadedTool> {
    const key = `${tool} ${memoryLimit}`;
    const known = this.#entries.get(key);
    if (known) return known.loaded;
    const file = this.#folder === null ? null : keptCodeFile(this.#folder, tool, memoryLimit);
    const loaded = this.#load({ kind: 'load', tool, memoryLimit, code: file });
    this.#entries.set(key, { tool, loaded, file, ran: 0, left: MOST_LOOKS });
    loaded.then(
      ({ kept }) => this.#logger?.info({ tool, kept }, 'a tool is loaded'),
      () => this.#entries.delete(key),
    );
    return loaded;
  }

  #load(request: LoadTool): Promise<LoadedTool> {
    const { threads } = this;
    const thread = threads.take();
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        void threads.end(thread);
        reject(error);
      };
      thread.begin(request, {
        message(message) {
          if (message.kind === 'loaded') resolve(message);
          else if (message.kind === 'waiting') threads.giveBack(thread);
          else fail(new Error(`Loading ${request.tool} gave something that is no tool.`));
        },
        error: fail,
        exit: (code) => fail(new Error(`Loading ${request.tool} ended with code ${code}.`)),
      });
    });
  }

  /** A run of a loaded tool has ended well after so many seconds. */
  ran(tool: EmbeddedTool, memoryLimit: number, seconds: number): void {
    const entry = this.#entries.get(`${tool} ${memoryLimit}`);
    if (entry) entry.ran += seconds;
  }

  /**
   * Keeps the code of the tools that have run: see keepCode. Only where nothing runs that must not end.
   * @throws what the file system says
   */
  async keep(): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (entry.file === null || entry.ran < ENOUGH || entry.left === 0) continue;
      entry.ran = 0;
      entry.left -= 1;
      const { module } = await entry.loaded;
      if (keepCode(entry.file, module))
        this.#logger?.info({ tool: entry.tool }, 'the compiled code of a tool is kept');
    }
  }
}
