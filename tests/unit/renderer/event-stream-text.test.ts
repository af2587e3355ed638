import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Connection, EventStream } from '../../../server/contract/client/event-stream.ts';
import type { LiveEvent } from '../../../server/contract/events/events.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** The events of a connection that delivers these bytes and then ends. */
async function follow(chunks: readonly Uint8Array[]): Promise<{ events: LiveEvent[]; seen: Connection[] }> {
  const events: LiveEvent[] = [];
  const seen: Connection[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const stream = await new Promise<EventStream>((resolve) => {
    const made = new EventStream({
      client: { fetch: async () => new Response(body) },
      clock: new FakeClock(),
      onEvents: (arrived) => events.push(...arrived),
      onConnection: (connection) => {
        seen.push(connection);
        if (connection.kind === 'waiting') resolve(made);
      },
    });
  });
  stream.close();
  return { events, seen };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const beat = (time: string): LiveEvent => ({ type: 'heartbeat', time });

test('comments, unknown fields and either line ending are accepted; invalid events are skipped', async () => {
  const text = [
    ': hello\n\nretry: 1000\n\n',
    `id: 7\r\nevent: heartbeat\r\ndata: ${JSON.stringify(beat('a'))}\r\n\r\n`,
    'data: half of an object {\n\n',
    'data: 3\n\ndata: {"kind":"no type"}\n\n',
    'data: {"type":"heartbeat",\ndata:"time":"b"}\n\n',
    'data: {"type":"heartbeat","time":"not complete"}\n',
  ].join('');
  expect((await follow([bytes(text)])).events).toEqual([beat('a'), beat('b')]);
});

test('events are parsed whatever the chunks, even split within a character', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(600), { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n'),
      async (times, cuts, newline) => {
        const all = bytes(
          times
            .map((time) => [`event: heartbeat`, `data: ${JSON.stringify(beat(time))}`, '', ''].join(newline))
            .join(`: a comment${newline}`),
        );
        const places = [...new Set([0, ...cuts.filter((cut) => cut < all.length)])].sort((a, b) => a - b);
        const chunks = places.map((from, index) => all.subarray(from, places[index + 1]));
        expect((await follow(chunks)).events).toEqual(times.map(beat));
      },
    ),
  );
});

test('the stream is live with its first event, and waits to reconnect when it ends', async () => {
  const { seen } = await follow([bytes(`data: ${JSON.stringify(beat('a'))}\n\n`)]);
  expect(seen.map(({ kind }) => kind)).toEqual(['connecting', 'live', 'waiting']);
  expect(seen.at(-1)).toMatchObject({ attempt: 1, refused: false });
});
