import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logDestination } from '../../../../server/cli/log-destination.ts';
import { readableLine } from '../../../../server/cli/readable-log.ts';
import { createLogger } from '../../../../server/log.ts';

/** Output of the bench's logger for these calls, in readable form, without the time. */
function shown(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger('debug', { write: (line: string) => void lines.push(readableLine(line)) }));
  return lines.join('').replace(/^\d\d:\d\d:\d\d /gm, '');
}

test('a request is shown as method, path, status, time and owner', () => {
  expect(
    shown((log) =>
      log
        .child({ request: 'fa3' })
        .info({ method: 'GET', path: '/fpga', status: 200, ms: 1.2, owner: 'ada' }, 'request'),
    ),
  ).toBe('GET /fpga 200 1.2 ms ada\n');
});

test('other entries are shown as text and fields; warnings and errors are marked, errors with a stack', () => {
  const text = shown((log) => {
    log.info({ folder: '/data' }, 'the data directory');
    log.warn('The disk is nearly full.');
    log.error({ err: new Error('it broke'), node: 3 }, 'unexpected error');
  });
  expect(text).toMatch(
    /^the data directory {2}folder=\/data\nwarning: The disk is nearly full\.\nerror: unexpected error {2}node=3\n {2}Error: it broke\n {2}at /,
  );
});

test('any caller input yields one line without control characters, unless it reports an error', () => {
  const sent = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[2J', 'a\nb', '\u009b31m', '\u202e'),
  );
  fc.assert(
    fc.property(sent, sent, fc.jsonValue(), (path, owner, more) => {
      const text = shown((log) => {
        log.info({ method: 'GET', path, status: 404, ms: 1, owner }, 'request');
        log.info({ [owner]: more, path }, path);
      });
      expect(text.split('\n')).toHaveLength(3);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is what is tested
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (line) => readableLine(line).endsWith('\n')));
});

test('a file or a program gets JSON, a terminal lines, unless the format is given', () => {
  expect(logDestination(undefined, false)).toBe(2);
  expect(logDestination('json', true)).toBe(2);
  expect(typeof logDestination(undefined, true)).toBe('object');
  expect(typeof logDestination('lines', false)).toBe('object');
});
