import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FromWorker,
  isFromWorker,
} from '../../../../../../server/toolchain/engines/embedded/messages.ts';
import {
  type FromTools,
  isFromTools,
} from '../../../../../../server/toolchain/engines/embedded/process-messages.ts';

/** The smallest module there is: magic and version. */
const module = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
const share = { bytes: new SharedArrayBuffer(8), index: [['/a', 0, 8]] satisfies [string, number, number][] };
const contents = new Uint8Array(3);

const end: FromWorker = {
  kind: 'end',
  outcome: { kind: 'exit', code: 1 },
  files: [['b.json', contents]],
  memory: 65_536,
};

const GUARDS: [name: string, guard: (value: unknown) => boolean, good: object[]][] = [
  [
    'what a thread says',
    isFromWorker,
    [
      end,
      { ...end, outcome: { kind: 'trap', message: 'unreachable' } },
      { kind: 'waiting' },
      { kind: 'begun' },
      { kind: 'full' },
      { kind: 'loaded', module, kept: true },
      { kind: 'share', share },
    ] satisfies FromWorker[],
  ],
  [
    'what the process for the tools says',
    isFromTools,
    [
      { kind: 'ready' },
      { kind: 'kept' },
      { kind: 'alive' },
      { kind: 'lines', id: 1, lines: ['a'] },
      { kind: 'done', id: 1, files: [['a', contents]], seconds: 0.1, peakMemory: 1 },
      { kind: 'failed', id: 1, failure: { code: 'tool_failed', message: '', remedy: '', details: {} } },
      { kind: 'failed', id: 1, failure: { code: null, message: '', remedy: '', details: {} } },
      { kind: 'log', level: 'warn', fields: [['tool', 'yosys']], text: 'a' },
    ] satisfies FromTools[],
  ],
];

describe.each(GUARDS)('%s', (_, guard, good) => {
  test('is recognised', () => {
    for (const message of good) expect(guard(message)).toBe(true);
  });

  test('is refused with any field missing or of another type', () => {
    for (const message of good)
      for (const field of Object.keys(message))
        for (const wrong of [undefined, -1.5, Symbol('none'), { kind: 7 }, [1]])
          expect(guard({ ...message, [field]: wrong }), `${field}`).toBe(false);
  });

  test('rejects arbitrary values', () => {
    fc.assert(fc.property(fc.anything(), (value) => !guard(value)));
  });
});
