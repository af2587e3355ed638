import { createStore, type StoreApi } from 'zustand/vanilla';
import type { DesktopBridge, DesktopFile, WatchedFile } from '../../../../preload/bridge.ts';
import type { Client } from '../../../../server/contract/client/client.ts';
import { ServiceError, UnreachableError } from '../../../../server/contract/client/failures.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentences } from '../../../../server/contract/sentences.ts';
import { text } from '../../text/text.ts';
import type { JobsStore } from '../jobs/jobs.ts';
import type { OwnJobs } from '../jobs/own-jobs.ts';
import type { NodesStore } from '../nodes/nodes.ts';
import { explain } from '../page/explain.ts';
import type { Memory } from '../page/preferences.ts';
import { readWatchOptions, writeWatchOptions } from './watch-options.ts';

const t = text.watching;

/** The result of the last save. */
export type WatchOutcome =
  | { kind: 'watching' }
  | { kind: 'waiting'; message: string }
  | { kind: 'submitted'; jobId: string }
  | { kind: 'failed'; message: string };

/** A file that the window submits to a node on every save. */
export interface Watch {
  path: string;
  /** Options of the form, for the next submit. */
  options: SubmitOptions;
  outcome: WatchOutcome;
  /** Why the application cannot see or read saves; null if it can. */
  problem: string | null;
}

interface WatchesState {
  byNode: Readonly<Partial<Record<number, Watch>>>;
}

/** The next step for a saved file, from the state of its node. */
type WatchStep = { kind: 'submit' } | { kind: 'replace' } | { kind: 'wait'; message: string };

/**
 * An idle node builds a saved file. It replaces a design only if `owner` has the session and this window built the
 * design (`isOwnDesign`). In all other cases the file waits.
 */
function nextStep(
  node: NodeView | undefined,
  owner: string,
  isOwnDesign: (node: NodeView) => boolean,
): WatchStep {
  const wait = (message: string): WatchStep => ({ kind: 'wait', message });
  if (node === undefined) return wait(t.unknown);
  if (node.resetting) return wait(t.resetting);
  switch (node.state) {
    case 'idle':
      return node.board.present ? { kind: 'submit' } : wait(t.absent);
    case 'queued':
    case 'building':
    case 'programming':
      return wait(t.busy);
    case 'error':
      return wait(t.error);
    case 'reserved':
      if (node.session?.owner !== owner) return wait(t.held(node.session?.owner ?? ''));
      return isOwnDesign(node) ? { kind: 'replace' } : wait(t.otherDesign);
  }
}

/** What the watch needs from the window. */
interface WatchedFilesOptions {
  desktop: DesktopBridge | undefined;
  service: Client;
  nodes: NodesStore;
  jobs: JobsStore;
  /** Jobs of this window; submitted builds join them. */
  mine: OwnJobs;
  memory: Memory | undefined;
  /** The name that this window calls under. */
  owner(): string;
}

interface Saved {
  file: DesktopFile;
  /** The node at the last attempt; the next attempt needs a changed node. */
  tried: NodeView | undefined;
}

/**
 * Submits watched files on save. The desktop application watches and reads them; the window submits them under its
 * name, in its session, with the options of its form.
 */
export class WatchedFiles {
  readonly store: StoreApi<WatchesState> = createStore(() => ({ byNode: {} }));
  readonly #options: WatchedFilesOptions;
  /** Node → its saved file that is not submitted yet; a later save replaces an earlier one. */
  readonly #saved = new Map<number, Saved>();
  /** Nodes with a pending request. */
  readonly #asking = new Set<number>();

  constructor(options: WatchedFilesOptions) {
    this.#options = options;
  }

  /** Begins to submit. Returns a function that stops it. */
  begin(): () => void {
    const { desktop, nodes, jobs } = this.#options;
    if (desktop === undefined) return () => {};
    const ends = [
      desktop.onWatchedFiles((files) => this.#adopt(files)),
      desktop.onSavedFile(({ fpga_id, file }) => {
        this.#saved.set(fpga_id, { file, tried: undefined });
        void this.#proceed(fpga_id);
      }),
      // The jobs tell which window built a node's design: listen to both stores.
      nodes.subscribe(() => this.#proceedAll()),
      jobs.subscribe(() => this.#proceedAll()),
    ];
    void desktop.watchedFiles().then((files) => this.#adopt(files));
    return () => {
      for (const end of ends) end();
    };
  }

  /** Watches a file for a node, in place of the previous one. */
  async watch(id: number, path: string, options: SubmitOptions): Promise<void> {
    const before = this.store.getState().byNode[id];
    this.#keep(id, { path, options, outcome: { kind: 'watching' }, problem: null });
    try {
      await this.#options.desktop?.watchFile(id, path);
    } catch (error) {
      this.#keep(id, before);
      throw error;
    }
  }

  async unwatch(id: number): Promise<void> {
    this.#saved.delete(id);
    this.#keep(id, undefined);
    await this.#options.desktop?.unwatchFile(id);
  }

  /** The options of the form, for the next save. */
  setOptions(id: number, options: SubmitOptions): void {
    const watch = this.store.getState().byNode[id];
    if (watch) this.#keep(id, { ...watch, options });
  }

  #keep(id: number, watch: Watch | undefined): void {
    const byNode = { ...this.store.getState().byNode };
    if (watch) byNode[id] = watch;
    else delete byNode[id];
    this.store.setState({ byNode });
    writeWatchOptions(this.#options.memory, byNode);
  }

  #show(id: number, outcome: WatchOutcome): void {
    const watch = this.store.getState().byNode[id];
    if (watch) this.store.setState(({ byNode }) => ({ byNode: { ...byNode, [id]: { ...watch, outcome } } }));
  }

  /** Takes over the watches of the application, which outlive a reload of the window. */
  #adopt(files: readonly WatchedFile[]): void {
    const before = this.store.getState().byNode;
    const byNode: Record<number, Watch> = {};
    for (const { fpga_id, path, problem } of files) {
      const known = before[fpga_id];
      byNode[fpga_id] =
        known?.path === path
          ? { ...known, problem }
          : {
              path,
              options: readWatchOptions(this.#options.memory, fpga_id, path),
              outcome: { kind: 'watching' },
              problem,
            };
    }
    for (const id of this.#saved.keys()) if (byNode[id] === undefined) this.#saved.delete(id);
    this.store.setState({ byNode });
    this.#proceedAll();
  }

  #proceedAll(): void {
    for (const id of this.#saved.keys()) void this.#proceed(id);
  }

  /** Whether this window submitted the newest successful build of the node's design. */
  #isOwnDesign(node: NodeView): boolean {
    const { jobs, mine } = this.#options;
    if (node.last_build?.status === 'complete') return mine.has(node.last_build.job_id);
    // A failed build left the previous design on the board.
    let newest: { job_id: string; created_at: string } | undefined;
    for (const job of jobs.getState().byId.values())
      if (
        job.fpga_id === node.fpga_id &&
        job.type === 'build_and_program' &&
        job.status === 'complete' &&
        (newest === undefined || job.created_at > newest.created_at)
      )
        newest = job;
    return newest !== undefined && mine.has(newest.job_id);
  }

  /** Does the next step for a saved file; every change calls it again until the file is submitted. */
  async #proceed(id: number): Promise<void> {
    const saved = this.#saved.get(id);
    if (saved === undefined || this.#asking.has(id)) return;
    const { nodes, owner } = this.#options;
    const node = nodes.getState().nodes?.find(({ fpga_id }) => fpga_id === id);
    const step = nextStep(node, owner(), (held) => this.#isOwnDesign(held));
    if (step.kind === 'wait') {
      this.#show(id, { kind: 'waiting', message: step.message });
      return;
    }
    if (saved.tried === node) return;
    saved.tried = node;
    this.#asking.add(id);
    try {
      await this.#submit(id, saved, step.kind === 'replace');
    } catch (error) {
      this.#takeRefusal(id, saved, error);
    } finally {
      this.#asking.delete(id);
    }
    // The node or the file may have changed during the request.
    await this.#proceed(id);
  }

  async #submit(id: number, saved: Saved, replace: boolean): Promise<void> {
    const { service, mine } = this.#options;
    const { name, contents } = saved.file;
    const options = this.store.getState().byNode[id]?.options ?? {};
    const { job_id } = await service.submitDesign({
      fpga_id: id,
      ...(replace && { replace: true }),
      body: { file: { name, contents }, ...options },
    });
    mine.add(job_id);
    if (this.#saved.get(id) === saved) this.#saved.delete(id);
    this.#show(id, { kind: 'submitted', jobId: job_id });
  }

  #takeRefusal(id: number, saved: Saved, error: unknown): void {
    // Another caller was faster, or the service is away: the next change of the node triggers another attempt.
    const later =
      error instanceof UnreachableError || (error instanceof ServiceError && error.code === 'fpga_not_idle');
    const { message, remedy } = explain(error);
    if (!later && this.#saved.get(id) === saved) this.#saved.delete(id);
    this.#show(id, {
      kind: later ? 'waiting' : 'failed',
      message: sentences(message, remedy),
    });
  }
}
