import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Inbox, type Letter, newMailbox, Outbox } from '../../../../../server/boards/virtual/mailbox.ts';

/** Two threads with a port between them whose messages are taken one by one, in one thread. */
function threads() {
  const memory = newMailbox();
  const port: (number | 'wake')[] = [];
  const arrived: number[] = [];
  let sent = 0;
  let woken = 0;
  const post = (message: number | 'wake') => {
    outbox.posted();
    port.push(message);
  };
  const outbox = new Outbox(memory, () => {
    woken++;
    post('wake');
  });
  const letters: Letter[] = [];
  const inbox = new Inbox(memory, (letter) => {
    letters.push(letter);
    arrived.push(letter.requests[0] ?? -1);
  });
  return {
    outbox,
    inbox,
    letters,
    arrived,
    get sent() {
      return sent;
    },
    get woken() {
      return woken;
    },
    /** Sends the next number; true if it went as a letter. */
    send(bytes = 8): boolean {
      const number = sent++;
      const put = outbox.put({ fabric: 1, requests: [number], bytes: new Uint8Array(bytes).fill(number) });
      if (!put) post(number);
      return put;
    },
    takeMessage() {
      const message = port.shift();
      if (message === undefined) return;
      inbox.arrived();
      if (message !== 'wake') arrived.push(message);
    },
    get underWay() {
      return port.length;
    },
  };
}

test('a letter arrives unchanged when the reader watches', () => {
  const { outbox, inbox, letters } = threads();
  const letter = { fabric: 7, requests: [3, 2 ** 31 - 1], bytes: Uint8Array.of(1, 255, 0) };
  expect(outbox.put(letter)).toBe(false);
  inbox.watch(true);
  expect(inbox.full).toBe(false);
  expect(outbox.put(letter)).toBe(true);
  expect(inbox.full).toBe(true);
  inbox.take();
  inbox.take();
  expect(letters).toEqual([letter]);
  const empty = { fabric: 1, requests: [], bytes: new Uint8Array(0) };
  expect(outbox.put(empty)).toBe(true);
  inbox.take();
  expect(letters).toEqual([letter, empty]);
});

test('rejects a letter that is too long or has too many responses', () => {
  const { outbox, inbox, letters } = threads();
  inbox.watch(true);
  expect(outbox.put({ fabric: 1, requests: [1], bytes: new Uint8Array(1025) })).toBe(false);
  expect(outbox.put({ fabric: 1, requests: new Array(17).fill(1), bytes: new Uint8Array(1) })).toBe(false);
  const most = { fabric: 1, requests: new Array(16).fill(9), bytes: new Uint8Array(1024).fill(5) };
  expect(outbox.put(most)).toBe(true);
  inbox.take();
  expect(letters).toEqual([most]);
});

test('a reader that stops watching as a letter is posted is woken', () => {
  const memory = newMailbox();
  const taken: Letter[] = [];
  const inbox = new Inbox(memory, (letter) => taken.push(letter));
  let woken = 0;
  const outbox = new Outbox(memory, () => woken++);
  inbox.watch(true);
  // The length is read after the outbox has seen the reader watching.
  const bytes = new Uint8Array(4);
  Object.defineProperty(bytes, 'length', {
    get: () => {
      inbox.watch(false);
      return 4;
    },
  });
  expect(outbox.put({ fabric: 1, requests: [1], bytes })).toBe(true);
  expect(woken).toBe(1);
  inbox.take();
  expect(taken.map(({ requests }) => requests)).toEqual([[1]]);
});

test('letters and messages arrive once each, in order, for any interleaving', () => {
  // Messages are taken more often than anything is sent: while one is in flight, nothing goes as a letter.
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('message') },
    { weight: 3, arbitrary: fc.constantFrom('send', 'watch', 'look') },
    { weight: 1, arbitrary: fc.constantFrom('sendLong', 'leave') },
  );
  let letters = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 100 }), (steps) => {
      const two = threads();
      let watched = false;
      for (const what of steps) {
        if (what === 'send') letters += Number(two.send());
        else if (what === 'sendLong') two.send(2000);
        else if (what === 'watch' || what === 'leave') {
          watched = what === 'watch';
          two.inbox.watch(watched);
          if (!watched) two.inbox.take();
        } else if (what === 'look' && watched) two.inbox.take();
        else if (what === 'message') two.takeMessage();
      }
      if (watched) two.inbox.take();
      while (two.underWay > 0) two.takeMessage();
      expect(two.arrived).toEqual(Array.from({ length: two.sent }, (_, number) => number));
    }),
    { numRuns: 300 },
  );
  expect(letters).toBeGreaterThan(100);
});
