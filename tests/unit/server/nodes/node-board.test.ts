import { expect, test } from 'vitest';
import type { Board, BoardPool } from '../../../../server/boards/board.ts';
import { NodeBoard } from '../../../../server/nodes/node-board.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

test('a transfer or programming that hangs ends with its deadline error', async () => {
  const clock = new FakeClock();
  let began = () => {};
  const started = () =>
    new Promise<void>((resolve) => {
      began = resolve;
    });
  const work = () => {
    began();
    return new Promise<never>(() => {});
  };
  const board = {
    view: { slot: 0, id: 'b', kind: 'virtual', definition: 'd', name: 'B', present: true },
    openLink: async () => ({ close: async () => {} }),
    program: work,
  } as unknown as Board;
  const node = new NodeBoard({ board: () => board } as unknown as BoardPool, 0, clock);
  const { signal } = new AbortController();

  const transferring = started();
  const transfer = node.transfer(signal, work);
  await transferring;
  clock.advance(300_000);
  await expect(transfer).rejects.toMatchObject({ code: 'link_deadline' });

  const programmed = started();
  const programming = node.program(new Uint8Array(0), { log: () => {}, progress: () => {}, signal });
  await programmed;
  clock.advance(300_000);
  await expect(programming).rejects.toMatchObject({ code: 'program_deadline' });
});

test('an absent board is refused with its own reason, and a paused one takes no transfer', async () => {
  const view = { slot: 0, id: 'b', kind: 'usb', definition: 'd', name: 'B', present: false };
  let asked = 0;
  let paused = () => {};
  const inside = {
    paused: true,
    onPaused(listener: () => void) {
      paused = listener;
      return () => {};
    },
  };
  const openLink = async () => {
    asked++;
    return { close: async () => {} };
  };
  const board = { view: view as object, openLink, inside };
  const node = new NodeBoard({ board: () => board } as unknown as BoardPool, 0, new FakeClock());
  const { signal } = new AbortController();
  const transfer = () => node.transfer(signal, () => new Promise<never>(() => paused()));
  await expect(transfer()).rejects.toMatchObject({
    code: 'board_absent',
    message: 'B: it is not plugged in.',
  });
  board.view = { ...view, reason: 'its port is in use.' };
  await expect(transfer()).rejects.toThrow('B: its port is in use.');
  board.view = { ...view, present: true };
  await expect(transfer()).rejects.toMatchObject({ code: 'board_paused' });
  expect(asked).toBe(0);
  // It is paused during the transfer.
  inside.paused = false;
  await expect(transfer()).rejects.toMatchObject({ code: 'board_paused' });
  expect(asked).toBe(1);
});

test('the board receives no request while it still opens an abandoned link', async () => {
  const done: string[] = [];
  let open = (_link: object) => {};
  const board = {
    view: { slot: 0, id: 'b', kind: 'usb', definition: 'd', name: 'B', present: true },
    openLink: () =>
      new Promise<object>((resolve) => {
        done.push('opening');
        open = resolve;
      }),
    program: async () => {
      done.push('programmed');
    },
  } as unknown as Board;
  const node = new NodeBoard({ board: () => board } as unknown as BoardPool, 0, new FakeClock());
  const job = new AbortController();
  const transfer = node.transfer(job.signal, async () => {});
  await expect.poll(() => done).toEqual(['opening']);
  job.abort(new Error('cancelled'));
  await expect(transfer).rejects.toThrow('cancelled');

  const { signal } = new AbortController();
  const programming = node.program(new Uint8Array(0), { log: () => {}, progress: () => {}, signal });
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['opening']);
  open({ close: async () => void done.push('closed') });
  await programming;
  expect(done).toEqual(['opening', 'closed', 'programmed']);
});
