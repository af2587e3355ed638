import { BLOCK_BASE } from './identity-block.ts';
import type { Transfer } from './transfer.ts';
import { type Frame, frameWords } from './uartbone.ts';

/** Maximum words of short calls that share one status read: with more, the first call would wait long. */
const MAX_COMBINED = 32;

/** A burst of an exchange: words of a transfer from an offset on. */
export interface Part {
  transfer: Transfer;
  offset: number;
  burst: Frame;
}

/**
 * The next burst to send, and bursts of later short calls that share its status read; empty when everything is sent.
 * @param transfers in the order of the calls
 */
export function nextParts(transfers: Iterable<Transfer>): Part[] {
  const parts: Part[] = [];
  let words = 0;
  for (const transfer of transfers) {
    if (transfer.settled || transfer.sent === transfer.count) continue;
    const burst = transfer.nextBurst();
    words += frameWords(burst);
    if (parts.length > 0 && words > MAX_COMBINED) break;
    parts.push({ transfer, offset: transfer.sent, burst });
    // The rest of this transfer comes before the next one.
    if (transfer.sent + frameWords(burst) < transfer.count) break;
  }
  return parts;
}

/** Words that the user's slave answers; the base SoC answers the others. */
export const wordsInDesign = (parts: readonly Part[]): number =>
  parts.reduce((sum, { burst }) => sum + burstInDesign(burst), 0);

function burstInDesign(burst: Frame): number {
  const words = frameWords(burst);
  const room = Math.max(0, (BLOCK_BASE - burst.byteAddress) / 4);
  if (burst.fixed) return room > 0 ? words : 0;
  return Math.min(words, room);
}

/**
 * Locates a fault from the number of words that the design acknowledged before it, since words are done in order. Null
 * where that is all of them.
 */
export function faultAfter(
  parts: readonly Part[],
  acknowledged: number,
): { at: number; transfer: Transfer; byteAddress: number } | null {
  let left = acknowledged;
  for (const [at, { transfer, offset, burst }] of parts.entries()) {
    const words = burstInDesign(burst);
    if (left < words) return { at, transfer, byteAddress: transfer.addressOf(offset + left) };
    left -= words;
  }
  return null;
}

/** Marks bursts as done. @param data words of the reads among them, in order */
export function confirm(parts: readonly Part[], data: readonly Uint32Array[]): void {
  let reads = 0;
  for (const { transfer, offset, burst } of parts)
    transfer.confirm(offset, frameWords(burst), burst.kind === 'read' ? data[reads++] : undefined);
}

/** Marks bursts for sending again: the base SoC held them back from the design after an earlier fault. */
export function sendAgain(parts: readonly Part[]): void {
  for (const { transfer, offset } of parts) transfer.sent = Math.min(transfer.sent, offset);
}
