import type { BoardView } from '../contract/boards.ts';
import type { NodeView, Session } from '../contract/nodes.ts';
import type { EventHub } from '../events/events.ts';
import type { Store, StoredNode } from '../store/index.ts';

/**
 * A node's record, twice: as everybody sees it and as the next write to disk will have it. The two differ only
 * for the moment in which a change is on its way to the disk and must not be shown before it has arrived.
 */
export class NodeRecord {
  readonly #store: Store;
  readonly #events: EventHub;
  readonly #rest: () => Omit<NodeView, keyof StoredNode> & { board: BoardView };
  readonly #watch: (session: Session | null) => void;
  #shown: StoredNode;

  constructor(options: {
    fpgaId: number;
    store: Store;
    events: EventHub;
    /** What the view holds besides the record. */
    rest: () => Omit<NodeView, keyof StoredNode> & { board: BoardView };
    /** Told of the session that the node has from now on. */
    watch: (session: Session | null) => void;
  }) {
    this.#store = options.store;
    this.#events = options.events;
    this.#rest = options.rest;
    this.#watch = options.watch;
    this.#shown = options.store.bench.nodes[options.fpgaId] as StoredNode;
  }

  /** As everybody sees it. */
  get now(): StoredNode {
    return this.#shown;
  }

  /** For the next write only: commit, then `show` the same. */
  stage(patch: Partial<StoredNode>): void {
    const { nodes } = this.#store.bench;
    const { fpga_id: fpgaId } = this.#shown;
    nodes[fpgaId] = { ...(nodes[fpgaId] as StoredNode), ...patch };
  }

  /** For everybody, and announced with `publish`. */
  show(patch: Partial<StoredNode>): void {
    this.#shown = { ...this.#shown, ...patch };
    if (patch.session !== undefined) this.#watch(patch.session);
  }

  /** A fact: shown at once, on disk soon. */
  set(patch: Partial<StoredNode>): void {
    this.stage(patch);
    this.show(patch);
    this.#store.touch();
  }

  view(): NodeView {
    const { fpga_id, state, session, error, design } = this.#shown;
    return {
      fpga_id,
      state,
      session,
      error,
      design: design && { filename: design.filename, build_id: design.build_id, module: design.module },
      ...this.#rest(),
    };
  }

  publish(): void {
    this.#events.publish({ type: 'node', node: this.view() });
  }
}
