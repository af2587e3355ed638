import { createHash } from 'node:crypto';
import type { BuildRequest } from '../build-request.ts';
import { isProjectName } from '../intake/project.ts';

/**
 * Counts up with every change of the scripts, options or generated sources of a build that can change its
 * bitstream, or what is kept with it: what the identities of tools and gateware do not show.
 */
export const FLOW_REVISION = 9;

export interface BuildInputs {
  request: BuildRequest;
  /** SHA-256 of the source file, or of all paths and contents of a project. */
  digest: string;
  constraints: string;
  /** SHA-256 of the base SoC's sources. */
  gateware: string;
  /** SHA-256 of what was synthesised of the base SoC ahead for the board, if anything was. */
  ahead: string | null;
  /** Engine and every tool that takes part, with its version. */
  tools: Record<string, string>;
}

/** The content address of a build: SHA-256 over everything that its result depends on, 64 hex digits. */
export function buildId({ request, digest, constraints, gateware, ahead, tools }: BuildInputs): string {
  const { board, options } = request;
  const ties = Object.entries(options.ties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const pins = Object.entries(options.pins ?? {})
    .map(([port, value]) => [port, String(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const inputs = {
    revision: FLOW_REVISION,
    source: digest,
    // In the id since messages and the choice of the language depend on it; those of a project are in its digest.
    filename: isProjectName(request.filename) ? 'project' : request.filename,
    options: [
      options.top ?? null,
      options.timing_target_mhz ?? null,
      options.addressing ?? null,
      ties.length > 0 ? ties : null,
      // Only where there are any, so that the ids of all other builds are what they were.
      ...(options.probes === undefined ? [] : [options.probes]),
      ...(pins.length > 0 ? [pins, board.pins ?? null] : []),
    ],
    board: [board.id, board.name, board.fpga, board.clock, board.serial, board.leds, board.driveHigh ?? []],
    constraints,
    gateware,
    ahead,
    tools: Object.entries(tools).sort(([a], [b]) => (a < b ? -1 : 1)),
  };
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
}
