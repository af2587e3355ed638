import type { BitTest } from '../boards/virtual/observation.ts';
import type { SignalValue, Trigger } from '../contract/signals/signals.ts';
import { assertNever } from '../errors/bench-error.ts';
import { signalsError } from '../errors/signals.ts';
import type { Place, SymbolTable } from '../symbols/symbols.ts';
import { type RequestedSignal, triggerSignals } from './requested-signals.ts';

/** A place and its required value. */
interface PlaceTest {
  place: Place;
  value: 0 | 1;
}

/** The conditions in the trigger's clock, and in the one before it. */
export interface TriggerTests {
  /** The signals that it tests. */
  signals: RequestedSignal[];
  now: PlaceTest[];
  before: PlaceTest[];
}

/**
 * A trigger as tests of single bits; null for one that fires at once.
 * @throws signal_unknown, signal_lost, capture_trigger
 */
export function triggerTests(trigger: Trigger, table: SymbolTable): TriggerTests | null {
  switch (trigger.kind) {
    case 'now':
      return null;
    case 'value': {
      const [signal] = triggerSignals(table, [trigger.signal]);
      if (!signal) return null;
      const width = signal.places.length;
      const value = bitsOf(trigger.value, signal);
      const mask = trigger.mask === undefined ? (1n << BigInt(width)) - 1n : bitsOf(trigger.mask, signal);
      if ((value & ~mask) !== 0n)
        throw signalsError('capture_trigger', {
          message: `The trigger’s value of ${signal.name} has bits that its mask leaves out.`,
        });
      const now = signal.places.flatMap((place, bit) =>
        (mask >> BigInt(bit)) & 1n ? [{ place, value: bitAt(value, bit) }] : [],
      );
      return { signals: [signal], now, before: [] };
    }
    case 'rising':
    case 'falling': {
      const [signal] = triggerSignals(table, [trigger.signal]);
      if (!signal) return null;
      const [place, ...others] = signal.places;
      if (place === undefined || others.length > 0)
        throw signalsError('capture_trigger', {
          message: `${signal.name} has ${signal.places.length} bits: an edge is one of a single bit, such as ${signal.name}[0].`,
        });
      const value = trigger.kind === 'rising' ? 1 : 0;
      return { signals: [signal], now: [{ place, value }], before: [{ place, value: value ? 0 : 1 }] };
    }
    case 'access':
      return accessTests(trigger, table);
    default:
      return assertNever(trigger);
  }
}

/** The first clock of an access: the bus's cycle begins, with its address and direction. */
function accessTests(
  { address, direction }: Extract<Trigger, { kind: 'access' }>,
  table: SymbolTable,
): TriggerTests {
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
  return { signals, now, before: [{ place: begins, value: 0 }] };
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
  { now, before }: Pick<TriggerTests, 'now' | 'before'>,
): { places: string[]; now: BitTest[]; before: BitTest[] } {
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
  const tests = { now: now.map(testOf), before: before.map(testOf) };
  return { places: all, ...tests };
}
