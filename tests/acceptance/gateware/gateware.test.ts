import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GATEWARE_VERSION, identifierOf } from '../../../server/toolchain/build/gateware.ts';
import { BenchSlave, TEMPER } from '../../support/gateware/bench-slave.ts';
import {
  BUILD_ID,
  bytes,
  haveIcarus,
  SIMULATED_NAME,
  type Speed,
  type Stimulus,
  settled,
  simulate,
} from '../../support/gateware/simulate.ts';
import { SOAK } from '../../support/soak.ts';
import { GatewareModel } from '../../support/wishbone/gateware-model.ts';

/** `npm run soak` runs many more streams of random stimuli. */
const RUNS = SOAK ? 20 : 1;
/** Four clocks a bit, and a clock so slow that 100 ms are one turn of the watchdog's counter. */
const FAST: Speed = { clockHz: 400_000, baud: 100_000 };
/** More than 100 ms at that clock: 65,536 clocks, and some for the last bytes. */
const SILENCE: Stimulus = ['silence', 70_000];

const STATUS = [2, 3, 0x3c, 0, 0, 0x0d];
const IDENTITY = [2, 8, 0x3c, 0, 0, 0];

const word = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const header = (command: number, length: number, byteAddress: number) => [
  command,
  length,
  ...word(byteAddress >>> 2),
];
const write = (byteAddress: number, ...words: number[]) => [
  ...header(1, words.length, byteAddress),
  ...words.flatMap(word),
];
const control = (value: number) => write(0xf000_0030, value);

/** Plays the stimuli to the model: bytes, damage and silence. */
function model(stimuli: readonly Stimulus[], speed: Speed) {
  const slave = new BenchSlave();
  const peer = new GatewareModel(
    {
      version: GATEWARE_VERSION,
      clockHz: speed.clockHz,
      baud: speed.baud,
      buildId: BUILD_ID,
      identifier: identifierOf({ name: speed.name ?? SIMULATED_NAME }),
    },
    slave,
  );
  const sent: number[] = [];
  let hostBaud = speed.baud;
  for (const [what, value] of stimuli) {
    if (what === 'byte' && !peer.hears(hostBaud)) peer.damage();
    else if (what === 'byte') sent.push(...peer.receive(value));
    else if (what === 'host') hostBaud = speed.clockHz / value;
    else if (what === 'broken' || what === 'low') peer.damage();
    else if ((what === 'gap' || what === 'silence') && value >= SILENCE[1]) peer.silence();
  }
  return { sent, bus: slave.log };
}

/** Resolves with the bytes that both have sent. */
async function expectAgreement(stimuli: readonly Stimulus[], speed: Speed = FAST): Promise<number[]> {
  const all = [...stimuli, settled];
  const trace = await simulate(all, speed);
  expect(trace.violations).toEqual([]);
  const { sent, bus } = model(all, speed);
  expect(trace.bus).toEqual(bus);
  expect(Buffer.from(trace.sent).toString('hex')).toBe(Buffer.from(sent).toString('hex'));
  return sent;
}

describe.skipIf(!haveIcarus)('the base SoC in simulation', () => {
  test('reports its identity', async () => {
    const { sent } = await simulate([...bytes(...IDENTITY), settled], FAST);
    const text = `57424348 ${hex(GATEWARE_VERSION)} ${hex(400_000)} ${hex(100_000)} 01234567 89abcdef 00000800 00010000`;
    expect(Buffer.from(sent).toString('hex')).toBe(text.replaceAll(' ', ''));
  });

  test('has an identifier of one character per word, which ends with a 0 and repeats', async () => {
    for (const name of ['iCEstick', 'x'.repeat(80)]) {
      const speed = { ...FAST, name };
      const all = bytes(...header(2, 70, 0xf800_0000), ...STATUS);
      const { sent } = await simulate([...all, settled], speed);
      const words = Array.from({ length: 70 }, (_, i) => Buffer.from(sent).readUInt32BE(4 * i));
      const text = `${identifierOf({ name })}\0`;
      expect(String.fromCharCode(...words).slice(0, text.length)).toBe(text);
      await expectAgreement(
        [
          ...all,
          ...bytes(
            ...write(0xf800_0030, 2),
            ...write(0xf800_0020, 9),
            ...header(4, 3, 0xf800_003c),
            ...STATUS,
          ),
        ],
        speed,
      );
    }
  });

  test('executes the four commands on slaves of every behaviour', async () => {
    const stimuli: Stimulus[] = [];
    for (const base of [
      TEMPER.registered,
      TEMPER.combinational,
      TEMPER.lingering,
      TEMPER.falling,
      TEMPER.slow,
    ]) {
      stimuli.push(
        ...bytes(...write(base + 16, 0x1122_3344, 0xdead_beef, 3)),
        ...bytes(...header(2, 4, base + 12)),
      );
      stimuli.push(...bytes(...header(3, 2, base + 20), ...word(5), ...word(6)));
      stimuli.push(...bytes(...header(4, 3, base + 20)), ...bytes(...STATUS), settled);
    }
    stimuli.push(...bytes(...header(4, 5, TEMPER.counting)), ...bytes(...header(2, 2, TEMPER.counting)));
    await expectAgreement([...stimuli, ...bytes(...STATUS)]);
  });

  test('writes only unmasked bytes, and ignores other commands whose upper half is not 0', async () => {
    const stimuli: Stimulus[] = [...bytes(...write(16, 0x1122_3344))];
    for (let select = 0; select < 16; select++)
      stimuli.push(
        ...bytes(...header(1 | ((select ^ 15) << 4), 1, 16), ...word(0x0101_0101 * (select + 0x80))),
        ...bytes(...header(2, 1, 16)),
      );
    stimuli.push(...bytes(...write(20, 5), ...header(2, 2, 16), ...STATUS));
    await expectAgreement(stimuli);
    for (const command of [0x12, 0xf3, 0x84, 0x10, 0x19])
      await expectAgreement([
        ...bytes(...header(command, 1, 16), ...word(7)),
        SILENCE,
        ...bytes(...header(2, 1, 16), ...STATUS),
      ]);
  });

  test('a read of 255 words may be followed at once by a write of 255 words and more', async () => {
    const words = Array.from({ length: 255 }, (_, i) => (i * 0x0101_4567) >>> 0);
    const stimuli = bytes(
      ...header(2, 255, 0),
      ...write(0, ...words),
      ...header(2, 255, 0),
      ...STATUS,
      ...write(64, 1, 2, 3),
      ...header(4, 200, TEMPER.counting),
      ...STATUS,
    );
    await expectAgreement([...stimuli, settled]);
  });

  test('keeps the line busy: a read of 255 words takes less than 2 % longer than its bytes', async () => {
    const stimuli: Stimulus[] = [
      ...bytes(...header(2, 255, 0)),
      ['clocks', 0],
      ['settle', 41],
      ['clocks', 0],
    ];
    const { clocks, sent } = await simulate(stimuli, FAST);
    const [begin = 0, end = 0] = clocks;
    expect(sent).toHaveLength(1020);
    expect(end - begin - 41).toBeLessThan(1020 * 40 * 1.02);
  });

  test('err and a missing acknowledge end the burst, but not the connection', async () => {
    const stimuli = [
      ...bytes(...write(TEMPER.refusing + 8, 1, 2, 3), ...STATUS),
      ...bytes(...header(2, 3, TEMPER.registered), ...STATUS),
      ...bytes(...header(2, 4, 0x2fff_fffc), ...header(4, 3, TEMPER.both), ...STATUS),
      ...bytes(...control(0), ...header(2, 4, TEMPER.mute + 4), ...STATUS),
      ['settle', 400] as const,
      ...bytes(...header(2, 2, 0x1fff_fffc), ...STATUS, ...control(0), ...STATUS),
    ];
    await expectAgreement(stimuli);
  });

  test('the watchdog ends a transfer after 65,536 clocks', async () => {
    const ask = (address: number): Stimulus[] => [['clocks', 0], ...bytes(...header(2, 1, address)), settled];
    const { clocks, sent } = await simulate(
      [
        ...ask(0),
        ...ask(TEMPER.registered),
        ...ask(TEMPER.mute),
        ['clocks', 0],
        ...bytes(...STATUS),
        settled,
      ],
      FAST,
    );
    const [, first = 0, second = 0, third = 0] = clocks;
    // A transfer of the registered slave takes two clocks.
    expect(third - second - (second - first)).toBe(65_536 - 2);
    expect(sent.slice(12, 20)).toEqual([...word(TEMPER.mute), ...word(0x0002_0001)]);
  });

  test('a design may take all but the last of the watchdog’s clocks', async () => {
    const slowest = TEMPER.slow + 4 * 65_534;
    await expectAgreement([...bytes(...header(2, 1, slowest), ...STATUS), settled]);
  });

  test('after a fault, a host that holds blocks every access to the design until it clears the fault', async () => {
    const stimuli = [
      ...bytes(...control(1), ...write(0, 1, 2), ...header(2, 3, TEMPER.refusing), ...STATUS),
      ...bytes(...write(8, 7), ...header(4, 2, TEMPER.counting), ...STATUS),
      ...bytes(...control(1), ...STATUS, ...header(4, 2, TEMPER.counting), ...header(2, 3, 0), ...STATUS),
    ];
    await expectAgreement(stimuli);
  });

  test('the host can hold the design in reset; the LEDs show holder, fault and transfers', async () => {
    const { leds, bus } = await simulate(
      [
        ...[['leds', 0] as const, ...bytes(...control(1)), ['settle', 400] as const, ['leds', 0] as const],
        ...[...bytes(...write(0, 1, 2, 3)), ['settle', 400] as const, ['leds', 0] as const],
        ...[...bytes(...write(TEMPER.refusing, 1)), ['settle', 400] as const, ['leds', 0] as const],
        ...[...bytes(...control(2)), ['settle', 400] as const, ['leds', 0] as const],
      ],
      FAST,
    );
    expect(leds).toEqual([0, 1, 0b1101, 0b1111, 0b1100]);
    expect(bus).toHaveLength(4);
  });

  test('100 ms of silence discard half a frame; a shorter gap does not', async () => {
    const half = bytes(...write(0, 1, 2).slice(0, 11));
    // Clock by clock, and as the other tests are silent.
    for (const way of ['gap', 'silence'] as const) {
      await expectAgreement([...half, [way, SILENCE[1]], ...bytes(...IDENTITY, ...STATUS)]);
      await expectAgreement([...half, [way, 60_000], ...bytes(0, 0, 9), settled, ...bytes(...STATUS)]);
    }
  });

  test('garbage, a missing stop bit and an overflow make it ignore input until the line is silent', async () => {
    const after = [...bytes(...IDENTITY), SILENCE, ...bytes(...STATUS, ...header(2, 2, 0))];
    await expectAgreement([...bytes(0), ...after]);
    await expectAgreement([...bytes(...write(0, 1), 0xff, 1, 2, 3), ...after]);
    await expectAgreement([...bytes(...write(0, 1).slice(0, 9)), ['broken', 0], settled, ...after]);
    await expectAgreement([['low', 3000], settled, ...after]);
    const flood = Array.from({ length: 2100 }, () => 2);
    const busy = header(4, 2, TEMPER.slow + 4 * 60_000);
    const { sent, violations } = await simulate(
      [...bytes(...busy, ...flood), SILENCE, ...bytes(...STATUS), settled],
      FAST,
    );
    expect(violations).toEqual([]);
    expect(sent.slice(-8, -4)).toEqual([0, 1, 0, 4]); // one transfer, then nothing: line error
  });

  test('ignores glitches shorter than half a bit', async () => {
    const slow = { clockHz: 1_200_000, baud: 100_000 };
    await expectAgreement([['glitch', 0], ...bytes(...IDENTITY), ['glitch', 0], ...bytes(...STATUS)], slow);
  });

  test('ignores a command of length 0', async () => {
    await expectAgreement(bytes(1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, ...IDENTITY, ...STATUS));
  });

  test('reading the CRC in the middle of a burst restarts it there', async () => {
    const block = header(2, 40, 0xf000_0000);
    await expectAgreement(bytes(...STATUS, ...block, ...STATUS, ...header(4, 3, 0xf000_003c), ...STATUS));
  });

  test.each([
    ['exactly 4 clocks a bit', 12_000_000, 3_000_000],
    ['6 clocks a bit', 12_000_000, 2_000_000],
    ['9 clocks a bit', 27_000_000, 3_000_000],
    ['50 clocks a bit', 50_000_000, 1_000_000],
    ['104 clocks a bit instead of the exact 104 1/6,', 12_000_000, 115_200],
  ])('back to back at %s, with a host that is 2 %% off either way', async (_, clockHz, baud) => {
    const pattern = bytes(
      ...write(0, 0x0055_aaff, 0x8001_7ffe),
      ...header(2, 2, 0),
      ...STATUS,
      ...write(4, 0, 0xffff_ffff),
      ...header(2, 3, 0),
      ...STATUS,
    );
    for (const rate of [1000, 980, 1020])
      await expectAgreement([['rate', rate], ...pattern, ['settle', 4000]], { clockHz, baud });
  });

  describe('the line rate', () => {
    /** 12 clocks a bit to begin with. */
    const SLOW: Speed = { clockHz: 1_200_000, baud: 100_000 };
    /** More than 100 ms, in steps of 65,536 clocks. */
    const LONG: Stimulus = ['silence', 140_000];
    const host = (clocks: number): Stimulus => ['host', clocks];
    const ask = [...bytes(...IDENTITY, ...STATUS), settled];
    /** As the link does it: the change follows a read of the whole block. */
    const change = (clocks: number) => [
      ...bytes(...header(2, 16, 0xf000_0000), ...write(0xf000_0020, clocks - 1)),
      settled,
    ];
    const prove = [...bytes(...STATUS, ...control(1), ...IDENTITY, ...STATUS), settled];

    test('goes up to four clocks a bit and down again, both directions at once', async () => {
      const talk = [...bytes(...write(0, 0x0055_aaff, 0x8001_7ffe), ...header(2, 2, 0), ...STATUS), settled];
      const stimuli = [...ask];
      for (const clocks of [6, 4, 5, 12, 16])
        stimuli.push(...change(clocks), host(clocks), ...prove, ...talk);
      const sent = await expectAgreement(stimuli, SLOW);
      expect(sent.length).toBe(32 + 12 + 5 * (64 + 56 + 20));
    });

    test('persists through silence once a host has written control at the new rate', async () => {
      await expectAgreement([...change(4), host(4), ...prove, LONG, LONG, ...ask], SLOW);
    });

    test('reverts to the initial rate when no host confirms the new one within 100 ms', async () => {
      // Once clock by clock.
      const sent = await expectAgreement([...change(4), ['gap', LONG[1]], ...ask], SLOW);
      expect(sent).toHaveLength(64 + 44);
      await expectAgreement([...change(4), LONG, ...ask], SLOW);
      // Reading is no proof, and a value that makes no sense leads nowhere.
      await expectAgreement([...change(4), host(4), ...ask, LONG, host(12), ...ask], SLOW);
      for (const clocks of [1, 2]) await expectAgreement([...change(clocks), LONG, ...ask], SLOW);
    });

    test('reverts after a damaged byte, after half a frame, and when a new host starts at the initial rate', async () => {
      const fast = [...change(4), host(4), ...prove];
      await expectAgreement([...fast, ['broken', 0x5a], LONG, host(12), ...ask], SLOW);
      await expectAgreement([...fast, ...bytes(1, 1, 0), LONG, host(12), ...ask], SLOW);
      await expectAgreement([...fast, host(12), ...bytes(...STATUS, ...control(5)), LONG, ...ask], SLOW);
      await expectAgreement([...fast, host(12), ...bytes(0), LONG, ...ask], SLOW);
    });

    test('back to back at every rate, with a host that is 2 % off either way', async () => {
      const pattern = bytes(...write(0, 0x0055_aaff, 0x8001_7ffe), ...header(2, 2, 0), ...STATUS);
      for (const clocks of [4, 6])
        for (const share of [0.98, 1.02]) {
          const stimuli = [...change(clocks), host(clocks), ...prove];
          stimuli.push(['rate', Math.round(((share * clocks) / 12) * 1000)], ...pattern, ...pattern, settled);
          await expectAgreement(stimuli, SLOW);
        }
    });

    test('matches the model on any schedule of rate changes, transfers, damage and silence', async () => {
      const rates = fc.constantFrom(4, 6, 12);
      const step = fc.oneof(
        rates.map((clocks) => ({ kind: 'follow' as const, clocks })),
        rates.map((clocks) => ({ kind: 'ignore' as const, clocks })),
        fc.constantFrom({ kind: 'damage' as const }, { kind: 'half' as const }, { kind: 'talk' as const }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
          const back = [LONG, host(12), ...ask];
          const stimuli = steps.flatMap((one): Stimulus[] => {
            if (one.kind === 'follow') return [...change(one.clocks), host(one.clocks), ...prove];
            if (one.kind === 'ignore') return [...change(one.clocks), ...back];
            if (one.kind === 'damage') return [['broken', 0xa5], ...back];
            if (one.kind === 'half') return [...bytes(...write(0, 1).slice(0, 8)), ...back];
            return ask;
          });
          await expectAgreement(stimuli, SLOW);
        }),
        { numRuns: 3 * RUNS, endOnFailure: true },
      );
    });
  });

  test.each([0, 1, 5])('with %i LEDs', async (leds) => {
    await expectAgreement(bytes(...IDENTITY), { ...FAST, leds });
  });

  test.each([
    ['', {}],
    [', with an unarmed capture core', { capture: { bits: 40, depthLog2: 4 } }],
  ])('no signal except clk changes while the line is idle%s', async (_, more) => {
    const stimuli: Stimulus[] = [
      ...bytes(...write(0, 1, 2, 3), ...header(2, 3, 0), ...STATUS, ...write(TEMPER.refusing, 1)),
      settled,
      ['watch', 2000],
    ];
    const { vcd } = await simulate(stimuli, { ...FAST, ...more });
    expect(changedSignals(vcd ?? '')).toEqual(new Set(['clk']));
  });

  test('matches the model on any stream of frames and garbage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 20, maxLength: 60 }), (pieces) =>
        expectAgreement(pieces.flat()).then(() => {}),
      ),
      { numRuns: 5 * RUNS, endOnFailure: true },
    );
  });
});

const hex = (value: number) => value.toString(16).padStart(8, '0');

const address = fc.oneof(
  fc.constantFrom(...Object.values(TEMPER).filter((base) => base !== TEMPER.mute)).map((base) => base + 32),
  fc.integer({ min: 0, max: 70 }).map((offset) => 0xf000_0000 + 4 * offset),
  fc.constantFrom(0xefff_fff4, 0xf7ff_fff0, 0xf800_0034, 0xffff_fff8),
);
/** The line rate has tests of its own. */
const isRate = (at: number) => at >= 0xf000_0000 && (at & 63) === 32;
const frame = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(1, 3),
      address,
      fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { maxLength: 6 }),
    )
    .filter(([command, at, words]) => !words.some((_, i) => isRate(at + (command === 3 ? 0 : 4 * i))))
    .map(([command, at, words]) => [...header(command, words.length, at), ...words.flatMap(word)]),
  fc
    .tuple(fc.constantFrom(2, 4), fc.integer({ min: 0, max: 9 }), address)
    .map(([command, length, at]) => header(command, length, at)),
  fc.constant(STATUS),
);
/** The design has answered before the silence begins: answers may take longer than their requests. */
const untilSilent: Stimulus[] = [settled, SILENCE];
const rarely: fc.Arbitrary<Stimulus[]> = fc.oneof(
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), frame)
    .map(([noise, rest]) => [...bytes(...noise, ...rest), ...untilSilent]),
  frame.map((half) => [...bytes(...half.slice(0, -1)), ...untilSilent]),
  frame.map((half) => [settled, ...bytes(...half.slice(0, -1)), ['broken', 0x5a] as const, ...untilSilent]),
);
const piece: fc.Arbitrary<Stimulus[]> = fc.oneof(
  { weight: 12, arbitrary: frame.map((whole) => bytes(...whole)) },
  { weight: 2, arbitrary: fc.constant<Stimulus[]>([settled]) },
  { weight: 1, arbitrary: rarely },
);

/** Names of the signals that a VCD has more than one value for. */
function changedSignals(vcd: string): Set<string> {
  const names = new Map<string, string>();
  const values = new Map<string, Set<string>>();
  for (const line of vcd.split('$dumpoff')[0]?.split('\n') ?? []) {
    const [, declared, name] = /^\$var \S+ \d+ (\S+) (\S+)/.exec(line) ?? [];
    if (declared !== undefined && name !== undefined) names.set(declared, name);
    const [, vector, bit = vector, changed] = /^(?:b(\S+) |([01xz]))(\S+)$/.exec(line) ?? [];
    if (changed === undefined || bit === undefined) continue;
    values.set(changed, (values.get(changed) ?? new Set()).add(bit));
  }
  const several = [...values].filter(([, seen]) => seen.size > 1);
  return new Set(several.map(([id]) => names.get(id) ?? id));
}
