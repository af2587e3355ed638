import type { BitTest, TriggerStep } from '../boards/virtual/observation.ts';
import type { TriggerStep as RequestedStep, SignalValue, Trigger } from '../contract/signals/signals.ts';
import { assertNever } from '../errors/bench-error.ts';
import { signalsError } from '../errors/signals.ts';
import type { Place, SymbolTable } from '../symbols/symbols.ts';
import { rangePrefixes } from './range-prefixes.ts';
import { type RequestedSignal, triggerSignals } from './requested-signals.ts';

/** A place and its required value. */
interface PlaceTest {
  place: Place;
  value: 0 | 1;
}

/** The conditions in a clock, and in the one before it. */
interface Condition {
  now: PlaceTest[];
  before: PlaceTest[];
}

/** The steps of a trigger, of which each holds if any of its conditions does. */
export interface TriggerTests {
  /** The signals that it tests. */
  signals: RequestedSignal[];
  steps: { any: Condition[]; count: number; within: number | null }[];
}

/** The signals and conditions of one step. */
type StepTests = Pick<TriggerTests, 'signals'> & { any: Condition[] };

/**
 * A trigger as tests of single bits; null for one that fires at once.
 * @throws signal_unknown, signal_lost, capture_trigger
 */
export function triggerTests(trigger: Trigger, table: SymbolTable): TriggerTests | null {
  if (trigger.kind === 'now') return null;
  const wanted: RequestedStep[] = trigger.kind === 'sequence' ? trigger.steps : [trigger];
  if (wanted[0]?.within !== undefined)
    throw signalsError('capture_trigger', {
      message: 'The first step of a trigger has no step before it, so it cannot be `within` some clocks.',
      remedy: 'Leave `within` out in the first step.',
    });
  const steps = wanted.map((step) => stepTests(step, table));
  return {
    signals: steps.flatMap(({ signals }) => signals),
    steps: steps.map(({ any }, at) => {
      const { count = 1, within = null } = wanted[at] ?? {};
      return { any, count, within };
    }),
  };
}

function stepTests(step: RequestedStep, table: SymbolTable): StepTests {
  switch (step.kind) {
    case 'value':
    case 'range':
    case 'rising':
    case 'falling':
    case 'change': {
      const signals = triggerSignals(table, [step.signal]);
      return { signals, any: signals.flatMap((signal) => signalConditions(step, signal)) };
    }
    case 'access':
      return accessTests(step, table);
    default:
      return assertNever(step);
  }
}

/** The conditions of a step on one signal: any of them. */
function signalConditions(
  step: Exclude<RequestedStep, { kind: 'access' }>,
  signal: RequestedSignal,
): Condition[] {
  const { name, places } = signal;
  const whole = (1n << BigInt(places.length)) - 1n;
  /** Tests of the bits in a mask. */
  const tests = (value: bigint, mask: bigint): PlaceTest[] =>
    places.flatMap((place, bit) => ((mask >> BigInt(bit)) & 1n ? [{ place, value: bitAt(value, bit) }] : []));
  switch (step.kind) {
    case 'value': {
      const value = bitsOf(step.value, signal);
      const mask = step.mask === undefined ? whole : bitsOf(step.mask, signal);
      if ((value & ~mask) !== 0n)
        throw signalsError('capture_trigger', {
          message: `The trigger’s value of ${name} has bits outside its mask.`,
        });
      return [{ now: tests(value, mask), before: [] }];
    }
    case 'range': {
      const [min, max] = [bitsOf(step.min, signal), bitsOf(step.max, signal)];
      if (min > max)
        throw signalsError('capture_trigger', {
          message: `The trigger’s range of ${name} starts above its end.`,
          remedy: 'Give the lower value as `min`.',
        });
      return rangePrefixes(min, max, places.length).map(({ value, mask }) => ({
        now: tests(value, mask),
        before: [],
      }));
    }
    case 'change':
      return places.flatMap((place) =>
        ([0, 1] as const).map((value) => ({
          now: [{ place, value }],
          before: [{ place, value: value ? (0 as const) : (1 as const) }],
        })),
      );
    case 'rising':
    case 'falling': {
      const [place, ...others] = places;
      if (place === undefined || others.length > 0)
        throw signalsError('capture_trigger', {
          message: `${name} has ${places.length} bits: an edge needs a single bit, such as ${name}[0].`,
        });
      const value = step.kind === 'rising' ? 1 : 0;
      return [{ now: [{ place, value }], before: [{ place, value: value ? 0 : 1 }] }];
    }
  }
}

/** The first clock of an access: the bus's cycle begins, with its address and direction. */
function accessTests(
  { address, direction }: Extract<RequestedStep, { kind: 'access' }>,
  table: SymbolTable,
): StepTests {
  const names = [
    'bus.cyc',
    ...(direction === undefined ? [] : ['bus.we']),
    ...(address === undefined ? [] : ['bus.adr']),
  ];
  const signals = triggerSignals(table, names);
  const [cycle, ...others] = signals;
  const begins = cycle?.places[0] ?? null;
  const now: PlaceTest[] = [{ place: begins, value: 1 }];
  for (const { name, places } of others) {
    if (name === 'bus.we') now.push({ place: places[0] ?? null, value: direction === 'write' ? 1 : 0 });
    else
      places.forEach((place, bit) => {
        now.push({ place, value: bitAt(BigInt(address ?? 0) >> 2n, bit) });
      });
  }
  return { signals, any: [{ now, before: [{ place: begins, value: 0 }] }] };
}

const bitAt = (value: bigint, bit: number): 0 | 1 => ((value >> BigInt(bit)) & 1n ? 1 : 0);

function bitsOf(value: SignalValue, { name, places }: RequestedSignal): bigint {
  const bits = BigInt(value);
  if (bits >> BigInt(places.length) === 0n) return bits;
  throw signalsError('capture_trigger', {
    message: `0x${bits.toString(16)} does not fit ${name}, which has ${places.length} bits.`,
  });
}

/**
 * The tests over the bits of a sample: the recorded `places` first, then bits that are only tested.
 * @param places of the recorded signals, null for a lost bit
 */
export function sampleTests(
  places: readonly Place[],
  steps: TriggerTests['steps'],
): { places: string[]; steps: TriggerStep[] } {
  const all = places.map((place) => place ?? '0');
  const index = new Map(all.map((place, bit) => [place, bit]));
  const testOf = ({ place, value }: PlaceTest): BitTest => {
    const at = place ?? '0';
    let bit = index.get(at);
    if (bit === undefined) {
      bit = all.length;
      all.push(at);
      index.set(at, bit);
    }
    return { bit, value };
  };
  return {
    steps: steps.map(({ any, ...step }) => ({
      ...step,
      any: any.map(({ now, before }) => ({ now: now.map(testOf), before: before.map(testOf) })),
    })),
    places: all,
  };
}
