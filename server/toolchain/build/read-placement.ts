import type { ScanResult } from '../../contract/designs/uploads.ts';
import type { Placement } from '../../symbols/placement.ts';
import { PlacementThread } from '../../symbols/symbols-thread.ts';
import type { StageContext } from './stage-context.ts';

/** The design of a build, apart from what the bench puts around it. */
export interface BuiltDesign {
  buildId: string;
  modules: ScanResult['modules'];
  /** Its sources, as its author names them. */
  files: readonly string[];
}

const NONE = 'note: this design has no floorplan, and its signals cannot be watched by name';

/**
 * Names of what is left of the design, where it is in the chip, and what of the build is its own. Reading begins with what
 * synthesis left; to be closed, whatever has happened.
 */
export class PlacementReading {
  readonly #stage: StageContext;
  readonly #buildId: string;
  readonly #thread: PlacementThread;

  /** @param onEstimate is told once what the clock may about be, MHz; null where nothing can be said */
  constructor(
    stage: StageContext,
    { buildId, modules, files }: BuiltDesign,
    netlist: Uint8Array,
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
    this.#thread = new PlacementThread({ netlist, design, typical }, onEstimate);
  }

  /**
   * @param critical ids of the cells along the slowest path
   * @returns null where they could not be made: without them the design cannot be looked into, but it can run
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
      build.log('pack', placement === null ? NONE : `names and places were read in ${seconds} s`);
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
