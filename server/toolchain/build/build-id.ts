import { createHash } from 'node:crypto';
import type { BuildRequest } from '../build-request.ts';
import { isProjectName } from '../intake/project.ts';

/**
 * Version of the scripts, options and generated sources of a build. It counts up with each change that can alter the
 * bitstream or the stored data, because the versions of tools and gateware do not show such a change.
 */
export const FLOW_REVISION = 24;

/** Everything that a build's result depends on. */
export interface BuildInputs {
  request: BuildRequest;
  /** SHA-256 of the source file, or of all paths and contents of a project. */
  digest: string;
  constraints: string;
  /** SHA-256 of the base SoC's sources. */
  gateware: string;
  /** SHA-256 of the board's base gates; null without any. */
  ahead: string | null;
  /** Version by tool, the engine included. */
  tools: Record<string, string>;
}

/** Computes the build id: SHA-256 over everything that the result depends on, 64 hex digits. */
export function buildId({ request, digest, constraints, gateware, ahead, tools }: BuildInputs): string {
  const { board, options } = request;
  const ties = Object.entries(options.ties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const pins = Object.entries(options.pins ?? {})
    .map(([port, value]) => [port, String(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const inputs = {
    revision: FLOW_REVISION,
    source: digest,
    // Messages and the language depend on the name. The digest of a project includes its names.
    filename: isProjectName(request.filename) ? 'project' : request.filename,
    options: [
      options.top ?? null,
      options.timing_target_mhz ?? null,
      options.addressing ?? null,
      ties.length > 0 ? ties : null,
      // Added only where used: the ids of other builds stay the same.
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
