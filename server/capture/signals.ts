import type {
  BoardClock,
  ClockRequest,
  SignalInfo,
  SignalList,
  SignalValues,
} from '../contract/signals/signals.ts';
import { MAX_READ_BITS } from '../contract/signals/signals.ts';
import { signalsError } from '../errors/signals.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import type { DesignSignal, DesignSymbols } from '../symbols/symbols.ts';
import type { RunningDesigns, RunningNode } from './inside.ts';
import { probedTable } from './probed.ts';
import { lostMask, omitUnknown, requestedSignals } from './requested-signals.ts';
import { valueOfBits } from './samples.ts';

const placed = (places: DesignSignal['places']): number => places.filter((place) => place !== null).length;

const infoOf = ({ places, ...signal }: DesignSignal, probed: number): SignalInfo => ({
  ...signal,
  width: places.length,
  lost: places.length - placed(places),
  ...(probed === 0 ? {} : { probed }),
});

/** The signals of a core, none of them lost: for a build without other names. */
const ofCore = (signals: readonly DesignSignal[]): DesignSymbols => ({
  version: 1,
  signals: signals.map((signal) => ({ ...signal, places: signal.places.map((place) => place ?? '0') })),
  bus: [],
  omitted: 0,
});

/** The signals of running designs, and the clocks of their boards. */
export class Signals {
  readonly #pool: NodePool;
  readonly #designs: RunningDesigns;

  constructor(pool: NodePool, designs: RunningDesigns) {
    this.#pool = pool;
    this.#designs = designs;
  }

  /** The running build. @throws fpga_not_reserved */
  buildOf(fpgaId: number): string {
    return this.#designs.node(fpgaId).design.build_id;
  }

  /** @throws fpga_not_reserved, no_symbols */
  async list(fpgaId: number, match: string, limit: number): Promise<SignalList> {
    const node = this.#designs.node(fpgaId);
    const core = await this.#designs.core(node);
    const probed = core ? probedTable(core).symbols.signals : [];
    const probes = new Map(probed.map(({ name, places }) => [name, placed(places)]));
    const symbols = await this.#designs.table(node).then(
      (table) => table.symbols,
      (error: unknown) => {
        if (probed.length === 0) throw error;
        return ofCore(probed);
      },
    );
    const wanted = match.toLowerCase();
    const found = [...symbols.bus, ...symbols.signals].filter(({ name }) =>
      name.toLowerCase().includes(wanted),
    );
    return {
      build_id: node.design.build_id,
      signals: found.slice(0, limit).map((signal) => infoOf(signal, probes.get(signal.name) ?? 0)),
      total: found.length,
      omitted: symbols.omitted,
      recorded_by: this.#designs.recordedBy(fpgaId, core),
      ...(core && { core: { bits: core.bits, depth: core.depth } }),
    };
  }

  /** @throws capture_too_wide, signal_unknown, signal_lost, and what RunningDesigns throws */
  async values(fpgaId: number, names: readonly string[]): Promise<SignalValues> {
    const node = this.#designs.node(fpgaId);
    this.#designs.inside(fpgaId);
    const asked = requestedSignals(await this.#designs.table(node), names);
    const places = asked.flatMap((signal) => signal.places);
    if (places.length > MAX_READ_BITS)
      throw signalsError('capture_too_wide', {
        message: `These signals have ${places.length} bits together; at most ${MAX_READ_BITS} are read at once.`,
        remedy: 'Ask for fewer of them at a time.',
      });
    const { clock, paused, values, unknown } = await this.#designs.observe(node, {
      kind: 'observe',
      places: places.map((place) => place ?? '0'),
    });
    const missing = new Set(unknown.map((index) => places[index] ?? ''));
    let at = 0;
    const signals = omitUnknown(asked, missing).map(({ name, places: bits }) => {
      const lost = lostMask(bits);
      const value = valueOfBits(values.slice(at, at + bits.length));
      at += bits.length;
      return { name, width: bits.length, value, ...(lost === undefined ? {} : { lost }) };
    });
    return { clock, paused, signals };
  }

  /** @throws board_paused while the board's clock is paused */
  requireClock(fpgaId: number): void {
    this.#designs.requireClock(fpgaId);
  }

  /** @throws what RunningDesigns throws */
  async clock(fpgaId: number): Promise<BoardClock> {
    return await this.#observed(this.#designs.node(fpgaId), { kind: 'observe', places: [] });
  }

  /** @throws board_not_paused for a step of a running clock, and what RunningDesigns and NodePool.overLink throw */
  async setClock(fpgaId: number, { action, clocks = 1 }: ClockRequest): Promise<BoardClock> {
    return await this.#designs.inSession(fpgaId, () => this.#setClock(fpgaId, action, clocks));
  }

  async #setClock(fpgaId: number, action: ClockRequest['action'], clocks: number): Promise<BoardClock> {
    const node = this.#designs.node(fpgaId);
    const inside = this.#designs.inside(fpgaId);
    switch (action) {
      case 'pause':
        // Takes a turn at the link, after running work there. The turn itself ends like any use of a paused board's
        // link.
        if (!inside.paused)
          await this.#pool
            .overLink(fpgaId, node.session.session_id, async () => {
              await inside.observe({ kind: 'pause', paused: true });
            })
            .catch((error: unknown) => {
              if (!inside.paused) throw error;
            });
        return await this.clock(fpgaId);
      case 'run':
        return await this.#observed(node, { kind: 'pause', paused: false });
      case 'step':
        if (!inside.paused) throw signalsError('board_not_paused');
        return await this.#observed(node, { kind: 'step', clocks });
    }
  }

  async #observed(node: RunningNode, request: Parameters<RunningDesigns['observe']>[1]): Promise<BoardClock> {
    const { clock, paused } = await this.#designs.observe(node, request);
    return { clock, paused, hz: this.#designs.clockHz(node.fpga_id) };
  }
}
