import type { CaptureCore } from '../contract/designs/uploads.ts';
import type { CaptureRequest, Trigger } from '../contract/signals/signals.ts';
import { signalsError } from '../errors/signals.ts';
import { type DesignSignal, type FoundSignal, type Place, SymbolTable } from '../symbols/symbols.ts';
import { MAX_SAMPLE_DIVIDER } from '../wishbone/capture-core.ts';

/** The place of a probe's bit: `p12` is bit 12 of a sample of the core. */
const probePlace = (bit: number): string => `p${bit}`;

/** The bit of a sample; null for a place outside the core. */
export const bitOfPlace = (place: string): number | null =>
  /^p\d+$/.test(place) ? Number(place.slice(1)) : null;

/** The signals that a core probes, by name; unprobed bits have no place. */
export function probedTable({ probes }: CaptureCore): SymbolTable {
  const signals = new Map<string, DesignSignal>();
  for (const {
    signal: name,
    signal_width: width,
    low,
    ascending,
    from,
    at,
    file,
    line,
    ...probe
  } of probes) {
    const known = signals.get(name) ?? {
      name,
      kind: 'net',
      low,
      ascending,
      places: new Array<Place>(width).fill(null),
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    };
    for (let bit = 0; bit < probe.width; bit++) known.places[from + bit] = probePlace(at + bit);
    signals.set(name, known);
  }
  return new SymbolTable({ version: 1, signals: [...signals.values()], bus: [], omitted: 0 });
}

/** Signal names in a trigger. */
function triggerNames(trigger: Trigger | undefined): string[] {
  switch (trigger?.kind) {
    case 'value':
    case 'rising':
    case 'falling':
      return [trigger.signal];
    case 'access':
      return [
        'bus.cyc',
        ...(trigger.direction === undefined ? [] : ['bus.we']),
        ...(trigger.address === undefined ? [] : ['bus.adr']),
      ];
    default:
      return [];
  }
}

/** Bits of a signal, lowest first, that a trigger tests: those of the mask, or the address bits that are 1. */
function testedBits(trigger: Trigger | undefined, { name, places }: FoundSignal): number[] {
  const all = places.map((_, bit) => bit);
  const set = (bits: bigint) => all.filter((bit) => (bits >> BigInt(bit)) & 1n);
  if (trigger?.kind === 'value') return trigger.mask === undefined ? all : set(BigInt(trigger.mask));
  // The core compares only the probed bits of an address, so no unprobed one may be 1.
  if (trigger?.kind === 'access' && name === 'bus.adr') return set(BigInt(trigger.address ?? 0) >> 2n);
  return all;
}

/**
 * Refuses what the core of a build can't do.
 * @throws signal_not_probed, capture_beyond_core, trigger_beyond_core
 */
export function requireInCore(core: CaptureCore, table: SymbolTable, request: CaptureRequest): void {
  const { signals, trigger, depth, every, pause } = request;
  if (trigger?.kind === 'sequence') throw signalsError('trigger_beyond_core');
  const probed = core.probes.map(({ name }) => name).join(', ');
  const refuse = (what: string) =>
    signalsError('signal_not_probed', {
      message: `${what} not among the probes of this build: ${probed}.`,
    });
  const names = [...signals, ...triggerNames(trigger)];
  const missing = [...new Set(names)].filter((name) => {
    const found = table.find(name);
    return !found || found.places.every((place) => place === null);
  });
  if (missing.length > 0) throw refuse(`${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'}`);
  for (const name of triggerNames(trigger)) {
    const found = table.find(name);
    if (found && testedBits(trigger, found).some((bit) => found.places[bit] === null))
      throw refuse(`The trigger looks at bits of ${name} that are`);
  }
  if ((depth ?? 1) > core.depth)
    throw signalsError('capture_beyond_core', {
      message: `The capture core of this build stores ${core.depth} samples; the request needs ${depth}.`,
    });
  if ((every ?? 1) > MAX_SAMPLE_DIVIDER)
    throw signalsError('capture_beyond_core', {
      message: `The samples of a capture core are at most ${MAX_SAMPLE_DIVIDER} clocks apart.`,
      remedy: 'Ask for samples that are closer together.',
    });
  if (pause)
    throw signalsError('capture_beyond_core', {
      message: 'A capture core cannot pause the board’s clock.',
      remedy: 'Leave `pause` out; a virtual board can pause with `using` “inside”.',
    });
}
