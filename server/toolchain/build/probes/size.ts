import type { BoardDefinition } from '../../../boards/definition.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { countCells, type Family } from '../../families/family.ts';
import type { CaptureSize } from '../gateware.ts';

/** Depths of a capture core as powers of two, the largest first. */
const MIN_DEPTH = 8;
const DEPTHS = [11, 10, 9, MIN_DEPTH];

/** Preferred limit of the core's block RAM, bits: 2,048 samples of 16 bits, 512 of 64. */
const MAX_BITS = 32_768;

/** Block RAMs of the core. */
const blocksOf = ({ bits, depthLog2 }: CaptureSize, family: Pick<Family, 'blockRam'>): number =>
  Math.ceil((bits * 2 ** depthLog2) / family.blockRam.bits);

/** Size of the first try. */
export const wantedSize = (bits: number): CaptureSize => ({
  bits,
  depthLog2: DEPTHS.find((depth) => bits * 2 ** depth <= MAX_BITS) ?? MIN_DEPTH,
});

/**
 * The largest core that fits into the block RAMs which the design leaves.
 * @param cells of the netlist with the tried core
 * @returns null when the tried core fits, or the design does not fit without it
 * @throws probes_too_large when not even the smallest core fits
 */
export function fittingSize(
  tried: CaptureSize,
  cells: Record<string, number>,
  board: BoardDefinition,
  family: Pick<Family, 'blockRam'>,
): CaptureSize | null {
  const available = family.blockRam.available(board);
  const used = countCells(cells, family.blockRam.cell);
  if (used <= available) return null;
  const left = available - (used - blocksOf(tried, family));
  if (left < 0) return null;
  const { bits } = tried;
  const depthLog2 = DEPTHS.find((depth) => blocksOf({ bits, depthLog2: depth }, family) <= left);
  if (depthLog2 !== undefined) return { bits, depthLog2 };
  const smallest = 2 ** MIN_DEPTH;
  const needed = blocksOf({ bits, depthLog2: MIN_DEPTH }, family);
  const most = Math.floor((left * family.blockRam.bits) / smallest);
  throw toolchainError('probes_too_large', {
    message: `${bits} bits × ${smallest} samples need ${needed} block RAM${needed === 1 ? '' : 's'}, but the design leaves ${left} of the ${available} in the ${board.fpga.part}: ${most > 0 ? `at most ${most} bits fit` : 'no probe fits'}.`,
  });
}
