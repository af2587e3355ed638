import type { BoardInside, BoardPool } from '../boards/board.ts';
import { userClock } from '../boards/definition.ts';
import type { BoardSample, FabricObservation } from '../boards/virtual/observation.ts';
import type { Clock } from '../clock.ts';
import type { CaptureCore } from '../contract/designs/uploads.ts';
import type { NodeView } from '../contract/nodes/nodes.ts';
import type { CaptureRequest, CaptureUsing } from '../contract/signals/signals.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { signalsError } from '../errors/signals.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import { workInSession } from '../jobs/session-work.ts';
import { SymbolTable } from '../symbols/symbols.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import { CoreSource } from './core.ts';
import { requireInCore } from './probed.ts';
import { type SampleSource, virtualBoardSource } from './source.ts';

/** A node with its running design. */
export type RunningNode = NodeView & {
  design: NonNullable<NodeView['design']>;
  session: NonNullable<NodeView['session']>;
};

const runs = (node: NodeView): node is RunningNode =>
  node.state === 'reserved' && !node.resetting && node.design !== null && node.session !== null;

/** Running designs: their names, and the insides of their boards. */
export class RunningDesigns {
  readonly #pool: NodePool;
  readonly #boards: BoardPool;
  readonly #toolchain: Pick<Toolchain, 'symbols'>;
  readonly #clock: Clock;
  /** For each node, the table of the last design. */
  readonly #tables = new Map<number, { buildId: string; table: SymbolTable }>();

  constructor(pool: NodePool, boards: BoardPool, toolchain: Pick<Toolchain, 'symbols'>, clock: Clock) {
    this.#pool = pool;
    this.#boards = boards;
    this.#toolchain = toolchain;
    this.#clock = clock;
  }

  /** @throws fpga_not_reserved */
  node(fpgaId: number): RunningNode {
    const node = this.#pool.node(fpgaId);
    if (!runs(node)) throw jobsError('fpga_not_reserved');
    return node;
  }

  /** Whether a node still runs the same design. */
  isStill({ fpga_id: fpgaId, design, session }: RunningNode): boolean {
    const now = this.#pool.node(fpgaId);
    return (
      runs(now) && now.design.build_id === design.build_id && now.session.session_id === session.session_id
    );
  }

  /**
   * Reads from the inside of a node's board for the running design.
   * @throws fpga_not_reserved when the design has ended, inside_unsupported, fabric_stopped
   */
  async observe(node: RunningNode, request: FabricObservation): Promise<BoardSample> {
    const inside = this.inside(node.fpga_id);
    try {
      return await inside.observe(request);
    } catch (error) {
      if (this.isStill(node)) throw error;
      throw jobsError('fpga_not_reserved', { cause: error });
    }
  }

  /** @throws inside_unsupported */
  inside(fpgaId: number): BoardInside {
    const { inside, view } = this.#boards.board(fpgaId);
    if (!inside)
      throw signalsError('inside_unsupported', {
        message: `${view.name} is a real board: the current values of its signals cannot be read, and its clock cannot be stopped. Signals that were probed at submit can be recorded.`,
      });
    return inside;
  }

  /**
   * A source that can record the running design.
   * @throws inside_unsupported, no_symbols, and for a core no_probes, signal_not_probed, capture_beyond_core,
   * board_paused
   */
  async source(node: RunningNode, request: CaptureRequest): Promise<SampleSource> {
    const { fpga_id: fpgaId, session } = node;
    const { inside, view } = this.#boards.board(fpgaId);
    if ((request.using ?? (inside ? 'inside' : 'core')) === 'inside')
      return virtualBoardSource(this.inside(fpgaId), await this.table(node));
    const core = await this.core(node);
    if (!core)
      throw signalsError('no_probes', {
        message: inside
          ? 'The running design was built without a capture core.'
          : `The running design was built without a capture core, and ${view.name} is a real board: nothing else can read its signals.`,
      });
    this.requireClock(fpgaId);
    const source = new CoreSource({
      core,
      clock: this.#clock,
      overLink: (work) => this.#pool.overLink(fpgaId, session.session_id, (link) => work(link)),
    });
    requireInCore(core, source.table, request);
    return source;
  }

  /** The default source of captures; null where there is none. */
  recordedBy(fpgaId: number, core: CaptureCore | null): CaptureUsing | null {
    return this.#boards.board(fpgaId).inside ? 'inside' : core && 'core';
  }

  /** The capture core of the running design; null without one. */
  async core({ fpga_id: fpgaId }: RunningNode): Promise<CaptureCore | null> {
    const jobId = this.#pool.designJob(fpgaId);
    if (jobId === null) return null;
    const report = await this.#pool.report(fpgaId, jobId).catch((error: unknown) => {
      if (error instanceof BenchError) return null;
      throw error;
    });
    return report?.capture_core ?? null;
  }

  /** @throws board_paused while the board's clock is paused */
  requireClock(fpgaId: number): void {
    if (this.#boards.board(fpgaId).inside?.paused) throw signalsError('board_paused');
  }

  /** The nominal clock of the design, Hz. */
  clockHz(fpgaId: number): number {
    return userClock(this.#boards.board(fpgaId).definition).hz;
  }

  /** Names of the running design. @throws no_symbols */
  async table({ fpga_id: fpgaId, design: { build_id: buildId } }: RunningNode): Promise<SymbolTable> {
    const known = this.#tables.get(fpgaId);
    if (known?.buildId === buildId) return known.table;
    const symbols = await this.#toolchain.symbols(buildId);
    if (!symbols) throw signalsError('no_symbols');
    const table = new SymbolTable(symbols);
    this.#tables.set(fpgaId, { buildId, table });
    return table;
  }

  /** Runs work in the design's session; see workInSession. */
  inSession<T>(fpgaId: number, work: () => Promise<T>): Promise<T> {
    return workInSession(this.#pool, fpgaId, work);
  }

  /** The design has ended: drops its names from memory. */
  forget(fpgaId: number): void {
    this.#tables.delete(fpgaId);
  }
}
