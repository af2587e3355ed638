import { expect, test } from 'vitest';
import { jobsError } from '../../../../server/errors/jobs.ts';
import { LinkUse } from '../../../../server/nodes/link-use.ts';
import type { NodeBoard } from '../../../../server/nodes/node-board.ts';
import type { WishboneLink } from '../../../../server/wishbone/link.ts';

/** A board whose link is there at once. */
const board = {
  transfer: (signal: AbortSignal, work: (link: WishboneLink, signal: AbortSignal) => Promise<unknown>) =>
    work({} as WishboneLink, signal),
} as unknown as NodeBoard;

const untilAborted = (_link: WishboneLink, signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('line closed'))));

test('a use learns once that something else waits, before and after it asks', async () => {
  const heard: string[] = [];
  const late = new LinkUse('s', async (_link, _signal, turn) => {
    turn.onWanted(() => heard.push('late'));
  });
  late.want();
  await late.perform(board, 's');
  const early = new LinkUse('s', async (_link, _signal, turn) => {
    turn.onWanted(() => heard.push('early'));
    early.want();
    early.want();
    return turn.wanted;
  });
  await early.perform(board, 's');
  expect(await early.result).toBe(true);
  expect(heard).toEqual(['late', 'early']);
});

test('an ended use has the reason of its end, whatever its work throws', async () => {
  const reason = jobsError('service_stopping');
  const running = new LinkUse('s', untilAborted);
  const performed = running.perform(board, 's');
  running.abort(reason);
  await performed;
  await expect(running.result).rejects.toBe(reason);
  // It has not begun: its work is never called.
  const waiting = new LinkUse('s', () => expect.unreachable());
  waiting.abort(reason);
  await waiting.perform(board, 's');
  await expect(waiting.result).rejects.toBe(reason);
});

test('a use belongs to its session', async () => {
  for (const holder of [null, 'other']) {
    const use = new LinkUse('s', () => expect.unreachable());
    await use.perform(board, holder);
    await expect(use.result).rejects.toMatchObject({ code: 'fpga_not_reserved' });
  }
  const failing = new LinkUse('s', async () => {
    throw new Error('its own');
  });
  await failing.perform(board, 's');
  await expect(failing.result).rejects.toThrow('its own');
});
