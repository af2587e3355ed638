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

/** What became of the last save. */
export type WatchOutcome =
  | { kind: 'watching' }
  | { kind: 'waiting'; message: string }
  | { kind: 'submitted'; jobId: string }
  | { kind: 'failed'; message: string };

/** A file that is submitted to a node whenever it is saved. */
export interface Watch {
  path: string;
  /** What the form said when the file was last submitted by hand, or is going to be. */
  options: SubmitOptions;
  outcome: WatchOutcome;
  /** Why the application cannot see or read saves at the moment; null while it can. */
  problem: string | null;
}

interface WatchesState {
  byNode: Readonly<Partial<Record<number, Watch>>>;
}

/** What is to be done with a saved file, as its node is now. */
type WatchStep = { kind: 'submit' } | { kind: 'replace' } | { kind: 'wait'; message: string };

/**
 * A saved file goes to an idle node. It takes the place of a design only when the session is `owner`'s and runs what
 * this window built (`isOwnDesign`); anybody else's is waited for.
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

/** What watching needs of the window. */
interface WatchedFilesOptions {
  desktop: DesktopBridge | undefined;
  service: Client;
  nodes: NodesStore;
  jobs: JobsStore;
  /** Jobs that this window asked for; what is submitted joins them. */
  mine: OwnJobs;
  memory: Memory | undefined;
  /** The name that this window calls under. */
  owner(): string;
}

interface Saved {
  file: DesktopFile;
  /** The node as it was when something was last tried; tried again only when it has changed. */
  tried: NodeView | undefined;
}

/**
 * Submits watched files when they are saved. The desktop application watches and reads them; the window submits
 * them as itself: under its name, in its session, with the options of its form.
 */
export class WatchedFiles {
  readonly store: StoreApi<WatchesState> = createStore(() => ({ byNode: {} }));
  readonly #options: WatchedFilesOptions;
  /** Saved, and not submitted yet; a later save takes the place of an earlier one. */
  readonly #saved = new Map<number, Saved>();
  /** Nodes for which a request is on its way. */
  readonly #asking = new Set<number>();

  constructor(options: WatchedFilesOptions) {
    this.#options = options;
  }

  /** Begins to submit; returns the end. */
  begin(): () => void {
    const { desktop, nodes, jobs } = this.#options;
    if (desktop === undefined) return () => {};
    const ends = [
      desktop.onWatchedFiles((files) => this.#adopt(files)),
      desktop.onSavedFile(({ fpga_id, file }) => {
        this.#saved.set(fpga_id, { file, tried: undefined });
        void this.#proceed(fpga_id);
      }),
      // Whose design a node runs is told by its jobs, so both are listened to.
      nodes.subscribe(() => this.#proceedAll()),
      jobs.subscribe(() => this.#proceedAll()),
    ];
    void desktop.watchedFiles().then((files) => this.#adopt(files));
    return () => {
      for (const end of ends) end();
    };
  }

  /** Watches a file for a node, in place of the one before. */
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

  /** The form says something else now: the next save is submitted with it. */
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

  /** Takes over what the application watches; it does so on when the window is loaded anew. */
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

  /** Whether the newest build that made the node's design was asked for by this window. */
  #isOwnDesign(node: NodeView): boolean {
    const { jobs, mine } = this.#options;
    if (node.last_build?.status === 'complete') return mine.has(node.last_build.job_id);
    // The last build came to nothing: the design on the board is that of one before.
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

  /** Does the next step for a saved file; called again with every change until it is submitted. */
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
    // The node may have changed, or the file been saved again, while the request was on its way.
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
    // Somebody was faster, or the service is away: the node's next change tells when to try again.
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
