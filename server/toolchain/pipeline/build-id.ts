import { createHash } from 'node:crypto';
import type { BuildRequest } from '../toolchain.ts';

/**
 * Counts up with every change of the scripts, options or generated sources of a build that can change its
 * bitstream: what the identities of tools and gateware do not show.
 */
const FLOW_REVISION = 1;

export interface BuildInputs {
  request: BuildRequest;
  constraints: string;
  /** SHA-256 of the base SoC's sources. */
  gateware: string;
  /** Engine and every tool that takes part, with its version. */
  tools: Record<string, string>;
}

/** The content address of a build: SHA-256 over everything that its result depends on, 64 hex digits. */
export function buildId({ request, constraints, gateware, tools }: BuildInputs): string {
  const { board, options } = request;
  const ties = Object.entries(options.ties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const inputs = {
    revision: FLOW_REVISION,
    source: createHash('sha256').update(request.source).digest('hex'),
    // In the id since messages and the choice of the language depend on it.
    filename: request.filename,
    options: [
      options.top ?? null,
      options.timing_target_mhz ?? null,
      options.addressing ?? null,
      ties.length > 0 ? ties : null,
    ],
    board: [board.id, board.fpga, board.clock, board.serial, board.leds],
    constraints,
    gateware,
    tools: Object.entries(tools).sort(([a], [b]) => (a < b ? -1 : 1)),
  };
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
}
