import type { FpgaState } from '../server/contract/nodes.ts';
import { EventEmitter } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { WatchedFile } from '../preload/bridge.ts';
import type { Logger } from '../server/log.ts';

/** Editors write in several steps; a save is over when nothing has happened for this long, ms. */
const SETTLE = 250;

/** What a watched file needs of a node: the service's own REST routes, as any other client uses them. */
export interface NodeClient {
  state(fpgaId: number): Promise<{ state: FpgaState; ownSession: boolean }>;
  /** Resolves when the node is idle again. */
  release(fpgaId: number): Promise<void>;
  submit(fpgaId: number, filename: string, source: Uint8Array): Promise<void>;
}

interface Watch {
  file: WatchedFile;
  watcher: FSWatcher;
  timer: NodeJS.Timeout | null;
  /** A save came while the node was busy: try again when it is free. */
  pending: boolean;
  busy: boolean;
}

/**
 * Resubmits a file to its node whenever it is saved. A node that holds our own earlier design is released first;
 * one that somebody else reserved, or that is building, is left alone until it is free.
 */
export class WatchedFiles extends EventEmitter<{ change: [WatchedFile[]] }> {
  readonly #client: NodeClient;
  readonly #logger: Logger;
  readonly #watches = new Map<number, Watch>();

  constructor(client: NodeClient, logger: Logger) {
    super();
    this.#client = client;
    this.#logger = logger;
  }

  list(): WatchedFile[] {
    return [...this.#watches.values()].map((entry) => entry.file);
  }

  watch(fpgaId: number, file: string): void {
    this.unwatch(fpgaId);
    // The folder is watched, not the file: editors that replace a file on save would end a watch on it.
    const name = path.basename(file);
    const watcher = watch(path.dirname(file), (_event, changed) => {
      if (changed === name) this.#saved(fpgaId);
    });
    watcher.on('error', (error) => {
      this.#set(
        fpgaId,
        'failed',
        `The folder can no longer be watched: ${error.message}. Watch the file again.`,
      );
      watcher.close();
    });
    this.#watches.set(fpgaId, {
      file: { fpga_id: fpgaId, path: file, state: 'watching', message: 'Every save is submitted.' },
      watcher,
      timer: null,
      pending: false,
      busy: false,
    });
    this.emit('change', this.list());
  }

  unwatch(fpgaId: number): void {
    const entry = this.#watches.get(fpgaId);
    if (!entry) return;
    entry.watcher.close();
    if (entry.timer) clearTimeout(entry.timer);
    this.#watches.delete(fpgaId);
    this.emit('change', this.list());
  }

  /** A node changed: what waited for it may go now. */
  nodeChanged(fpgaId: number, state: FpgaState): void {
    const entry = this.#watches.get(fpgaId);
    if (entry?.pending && (state === 'idle' || state === 'reserved')) void this.#submit(fpgaId, entry);
  }

  close(): void {
    for (const fpgaId of [...this.#watches.keys()]) this.unwatch(fpgaId);
    this.removeAllListeners();
  }

  #saved(fpgaId: number): void {
    const entry = this.#watches.get(fpgaId);
    if (!entry) return;
    if (entry.timer) clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      entry.timer = null;
      void this.#submit(fpgaId, entry);
    }, SETTLE);
  }

  async #submit(fpgaId: number, entry: Watch): Promise<void> {
    if (entry.busy) {
      entry.pending = true;
      return;
    }
    entry.busy = true;
    entry.pending = false;
    try {
      const source = await readFile(entry.file.path);
      const { state, ownSession } = await this.#client.state(fpgaId);
      if (state === 'reserved' && ownSession) await this.#client.release(fpgaId);
      else if (state !== 'idle') {
        entry.pending = true;
        this.#set(fpgaId, 'waiting', `The node is ${state}; the file is submitted when it is free.`);
        return;
      }
      await this.#client.submit(fpgaId, path.basename(entry.file.path), source);
      this.#set(fpgaId, 'submitted', 'The last save was submitted.');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.info({ fpga_id: fpgaId, reason }, 'a watched file was not submitted');
      this.#set(fpgaId, 'failed', reason);
    } finally {
      entry.busy = false;
    }
  }

  #set(fpgaId: number, state: WatchedFile['state'], message: string): void {
    const entry = this.#watches.get(fpgaId);
    if (!entry) return;
    entry.file = { ...entry.file, state, message };
    this.emit('change', this.list());
  }
}
