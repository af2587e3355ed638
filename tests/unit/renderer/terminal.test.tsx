import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Terminal } from '../../../renderer/src/screens/node/panel/Terminal.tsx';
import { terminalText } from '../../../renderer/src/screens/node/panel/terminal-text.ts';
import { TerminalFeed } from '../../../renderer/src/state/pins/terminal.ts';
import type { LiveEvent } from '../../../server/contract/events/events.ts';
import { type Asked, FakeService, fakeBench, memory, refusal } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

/** A service with a serial line on node 1 that has sent a text. */
function line(text = '') {
  const has = { text, sent: [] as (string | undefined)[] };
  const view = (from: number) => {
    const at = Math.min(from, has.text.length);
    return {
      fpga_id: 1,
      input: 'rx',
      output: 'tx',
      baud: 9600,
      at,
      text: has.text.slice(at),
      lost: false,
      damaged: false,
    };
  };
  const service = new FakeService();
  service.on('GET /fpga/1/terminal', ({ path }) =>
    view(Number(new URLSearchParams(path.split('?')[1]).get('from') ?? 0)),
  );
  service.on('POST /fpga/1/terminal', ({ body }) => {
    has.sent.push((body as { text?: string }).text);
    return view(has.text.length);
  });
  const event = (at: number, more: string): LiveEvent =>
    ({ type: 'terminal', fpga_id: 1, at, text: more, lost: false, damaged: false }) as LiveEvent;
  return { service, has, event };
}

const shown = (feed: TerminalFeed) => terminalText(feed.log, { hex: false, times: false });

async function terminal(options = {}) {
  const bench = line('hello\n');
  const { client } = fakeBench(bench.service);
  const feed = new TerminalFeed(client.service, 1, () => {});
  await feed.load('run');
  await show(<Terminal feed={feed} locked={false} />, bench.service, options);
  return { ...bench, feed };
}

test('a line goes out with its ending, arrow up brings back earlier ones, also after a reload', async () => {
  const own = memory();
  const { has } = await terminal({ memory: own });
  const field = screen.getByLabelText<HTMLInputElement>('Line to send');
  fireEvent.change(screen.getByLabelText('Line ending'), { target: { value: 'crlf' } });
  for (const typed of ['one', 'two']) {
    fireEvent.change(field, { target: { value: typed } });
    fireEvent.submit(field);
  }
  await waitFor(() => expect(has.sent.join('')).toBe('one\r\ntwo\r\n'));
  fireEvent.change(field, { target: { value: 'dra' } });
  const values = ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown'].map((key) => {
    fireEvent.keyDown(field, { key });
    return field.value;
  });
  expect(values).toEqual(['two', 'one', 'one', 'two', 'dra']);
  expect(JSON.parse(own.getItem('wishbench.terminal') ?? '{}')).toMatchObject({
    ending: 'crlf',
    history: ['one', 'two'],
  });
});

test('typing on the screen sends at once; local echo shows it', async () => {
  const { has, feed } = await terminal();
  fireEvent.click(screen.getByRole('button', { name: 'Local echo' }));
  const log = screen.getByRole('log', { name: 'Terminal on rx and tx' });
  for (const key of ['h', 'i', 'Enter']) fireEvent.keyDown(log, { key });
  await waitFor(() => expect(has.sent.join('')).toBe('hi\r'));
  expect(shown(feed)).toBe('hello\nhi\n');
});

test('Undo restores cleared text', async () => {
  const { feed, event } = await terminal();
  const undo = feed.clear();
  feed.take([event(6, 'next')]);
  expect(shown(feed)).toBe('next\n');
  undo();
  expect(shown(feed)).toBe('hello\nnext\n');
});

test('another view of the same run continues, and catches up after a service restart', async () => {
  const { service, has, event } = line('one\n');
  const { client } = fakeBench(service);
  const first = new TerminalFeed(client.service, 1, () => {});
  await first.load('run');
  first.send('typed\r', true);
  has.text += 'two\n';
  const second = new TerminalFeed(client.service, 1, () => {});
  await second.load('run');
  expect(shown(second)).toBe('one\ntyped\ntwo\n');
  has.text = 'new\n';
  await second.catchUp();
  expect(shown(second)).toBe('one\ntyped\ntwo\nnew\n');
  // Events that a load already brought add nothing.
  second.take([event(0, 'new\n'), event(4, 'er\n')]);
  expect(shown(second)).toBe('one\ntyped\ntwo\nnew\ner\n');
  const other = new TerminalFeed(client.service, 1, () => {});
  await other.load('another run');
  expect(shown(other)).toBe('new\n');
});

test('text that arrives while the line is loaded is not lost', async () => {
  const { service, has, event } = line('one\n');
  const answer = service.answers.get('GET /fpga/1/terminal') as (asked: Asked) => unknown;
  const { client } = fakeBench(service);
  const feed = new TerminalFeed(client.service, 1, () => {});
  service.on('GET /fpga/1/terminal', (asked: Asked) => {
    const before = answer(asked);
    if (has.text === 'one\n') {
      has.text += 'two\n';
      feed.take([event(4, 'two\n')]);
    }
    return before;
  });
  await feed.load('run');
  expect(shown(feed)).toBe('one\ntwo\n');
});

test('a file is sent in requests of 512 bytes, and stops on demand', async () => {
  const { service, has } = line();
  const { client } = fakeBench(service);
  const feed = new TerminalFeed(client.service, 1, () => {});
  await feed.load('run');
  feed.sendBytes(new Uint8Array(1000).fill(0xff));
  await waitFor(() => expect(feed.store.getState().unsent).toBe(0));
  expect(has.sent.map((text) => text?.length)).toEqual([512, 488]);
  expect(has.sent[1]).toMatch(/^\u00ff+$/);
  feed.sendBytes(new Uint8Array(5000));
  feed.stop();
  feed.sendBytes(Uint8Array.of(1));
  await waitFor(() => expect(has.sent.at(-1)).toBe('\u0001'));
  expect(has.sent).toHaveLength(4);
});

test('a refusal drops the unsent text and reports the reason', async () => {
  const { service } = line();
  const { client } = fakeBench(service);
  const errors: unknown[] = [];
  const feed = new TerminalFeed(client.service, 1, (error) => errors.push(error));
  await feed.load('run');
  service.on('POST /fpga/1/terminal', () => refusal(409, 'fpga_not_reserved', 'The node is not reserved.'));
  feed.send('x'.repeat(2000));
  await waitFor(() => expect(errors).toHaveLength(1));
  expect(feed.store.getState().unsent).toBe(0);
});
