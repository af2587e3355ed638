import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseParser } from '../../renderer/src/api/sse.ts';

const parse = (...chunks: string[]) => {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
};

test('events end at an empty line; comments and unknown fields make none', () => {
  expect(parse(': hello\n\nretry: 1000\n\nid: 7\nevent: node\ndata: {"a":1}\n\n')).toEqual([
    { event: 'node', data: '{"a":1}', id: '7' },
  ]);
});

test('several data lines are one text, and either line ending is taken', () => {
  expect(parse('data: a\r\ndata:b\r\n\r\n')).toEqual([{ event: 'message', data: 'a\nb', id: undefined }]);
});

test('an event that is not complete is kept until it is', () => {
  expect(parse('data: half')).toEqual([]);
  expect(parse('data: half', ' and half\n', '\n')).toEqual([
    { event: 'message', data: 'half and half', id: undefined },
  ]);
});

test('the chunks in which the text comes do not matter', () => {
  const event = fc.record({
    event: fc.constantFrom('node', 'job', 'log'),
    data: fc.json().filter((text) => !text.includes('\n')),
  });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 8 }),
      fc.array(fc.nat(400), { maxLength: 12 }),
      (events, cuts) => {
        const text = events.map(({ event: name, data }) => `event: ${name}\ndata: ${data}\n\n`).join('');
        const places = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, i) => text.slice(from, places[i] ?? text.length));
        expect(parse(...chunks)).toEqual(events.map((one) => ({ ...one, id: undefined })));
      },
    ),
  );
});
