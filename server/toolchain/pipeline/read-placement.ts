import type { ScanResult } from '../../contract/designs.ts';
import type { Placement } from '../../symbols/placement.ts';
import { placementOf } from '../../symbols/symbols-thread.ts';
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
 * Names of what is left of the design, where it is in the chip, and what of the build is its own. Without them it cannot
 * be looked into, but it can run: null where they could not be made.
 */
export async function readPlacement(
  { flow, board, build, clock }: StageContext,
  { buildId, modules, files: sources }: BuiltDesign,
  placed: { netlist: Uint8Array; files: Record<string, Uint8Array>; critical: readonly string[] },
): Promise<Placement | null> {
  const fileOf = (name: string | null) => (name === null ? null : (placed.files[name] ?? null));
  const began = clock.monotonic();
  try {
    const placement = await placementOf(
      {
        netlist: placed.netlist,
        placed: fileOf(flow.placedNetlist),
        delays: fileOf(flow.delays),
        critical: placed.critical,
        chip: { buildId, part: board.fpga.part, package: board.fpga.package },
        design: {
          modules: modules.map(({ name, ports }) => ({
            name,
            inputs: ports.flatMap((port) => (port.direction === 'input' ? [port.name] : [])),
          })),
          files: sources,
        },
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
