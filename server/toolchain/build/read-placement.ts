import type { ScanResult } from '../../contract/designs/uploads.ts';
import type { Placement } from '../../symbols/placement.ts';
import { PlacementThread } from '../../symbols/symbols-thread.ts';
import type { StageContext } from './stage-context.ts';
import type { SynthesisResult } from './synthesis.ts';

/** The user's design of a build. */
export interface BuiltDesign {
  buildId: string;
  modules: ScanResult['modules'];
  /** Reported names of its sources. */
  files: readonly string[];
}

const NONE = 'note: this design has no floorplan, and its signals cannot be watched by name';

/**
 * Reads names and places of the design's signals, and what the design uses of the part. Reading begins with the netlist of
 * synthesis. It must be closed in any case.
 */
export class PlacementReading {
  readonly #stage: StageContext;
  readonly #buildId: string;
  readonly #thread: PlacementThread;

  /** @param onEstimate called once with the estimated Fmax, MHz; null when it is unknown */
  constructor(
    stage: StageContext,
    { buildId, modules, files }: BuiltDesign,
    { netlist, inverters }: Pick<SynthesisResult, 'netlist' | 'inverters'>,
    onEstimate: (megahertz: number | null) => void,
  ) {
    this.#stage = stage;
    this.#buildId = buildId;
    const design = {
      modules: modules.map(({ name, ports }) => ({
        name,
        inputs: ports.flatMap((port) => (port.direction === 'input' ? [port.name] : [])),
      })),
      files,
    };
    const typical = stage.family.typicalDelays(stage.board);
    this.#thread = new PlacementThread({ netlist, inverters, design, typical }, onEstimate);
  }

  /**
   * @param critical ids of the cells on the slowest path
   * @returns null when reading fails: the design runs, but its signals cannot be watched
   */
  async finish(files: Record<string, Uint8Array>, critical: readonly string[]): Promise<Placement | null> {
    const { family, board, build, clock } = this.#stage;
    const fileOf = (name: string | null) => (name === null ? null : (files[name] ?? null));
    const began = clock.monotonic();
    try {
      const placement = await this.#thread.read(
        {
          placed: fileOf(family.placedNetlist),
          delays: fileOf(family.delays),
          critical,
          chip: { buildId: this.#buildId, part: board.fpga.part, package: board.fpga.package },
        },
        build.signal,
      );
      const seconds = ((clock.monotonic() - began) / 1000).toFixed(3);
      build.log('pack', placement === null ? NONE : `signal names and placement read in ${seconds} s`);
      return placement;
    } catch (error) {
      build.log('pack', `${NONE}: ${String(error)}`);
      return null;
    }
  }

  close(): void {
    this.#thread.close();
  }
}
