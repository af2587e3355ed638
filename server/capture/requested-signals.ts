import { signalsError } from '../errors/signals.ts';
import type { Place, SymbolTable } from '../symbols/symbols.ts';

/** A requested signal, with its visible bits. */
export interface RequestedSignal {
  name: string;
  /** Lowest bit first; null for a lost bit. */
  places: Place[];
  /** The same for the whole signal, where this is a part. */
  whole: readonly Place[];
  file?: string;
  line?: number;
}

/** Maximum names in one message. */
const MAX_LISTED_NAMES = 5;

const quoted = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED_NAMES).join(', ') +
  (names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '');

/**
 * Looks names up.
 * @throws signal_unknown with the nearest names, signal_lost; each names all affected signals
 */
export function requestedSignals(table: SymbolTable, names: readonly string[]): RequestedSignal[] {
  const found = names.map((name) => ({ name, known: table.find(name) }));
  const unknown = found.filter(({ known }) => known === null).map(({ name }) => name);
  if (unknown.length > 0) {
    throw signalsError('signal_unknown', {
      message: `The running design has no signal ${quoted(unknown)}: it does not exist, or was optimised away.${nearestOf(table, unknown)}`,
    });
  }
  const wanted = found.flatMap(({ name, known }) => {
    if (known === null) return [];
    const { file, line } = known.signal;
    return [
      {
        name,
        places: known.places,
        whole: known.signal.places,
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line }),
      },
    ];
  });
  refuseLost(wanted, table);
  return wanted;
}

/** The nearest names, as the end of a message; empty where there is none. */
function nearestOf(table: SymbolTable | undefined, names: readonly string[]): string {
  const nearest = new Set(names.flatMap((name) => table?.nearest(name) ?? []));
  return nearest.size > 0 ? ` Did you mean ${quoted([...nearest])}?` : '';
}

/**
 * Looks up a trigger's signals, which must be complete.
 * @throws as requestedSignals
 */
export function triggerSignals(table: SymbolTable, names: readonly string[]): RequestedSignal[] {
  return requestedSignals(table, names).map((signal) => {
    if (signal.places.every((place) => place === null)) throw lost([signal], table);
    return { ...signal, whole: signal.places };
  });
}

/**
 * The same signals without places that the board does not know, because nothing observed depends on them.
 * @param unknown places @throws signal_lost for a signal without any place left, even one that was only partly
 * requested
 */
export function omitUnknown(
  wanted: readonly RequestedSignal[],
  unknown: ReadonlySet<string>,
): RequestedSignal[] {
  const known = wanted.map((signal) => ({
    ...signal,
    places: left(signal.places, unknown),
    whole: left(signal.whole, unknown),
  }));
  refuseLost(known);
  return known;
}

const left = (places: readonly Place[], unknown: ReadonlySet<string>): Place[] =>
  places.map((place) => (place !== null && unknown.has(place) ? null : place));

/** Refuses lost signals; the lost part of an existing signal is recorded as unknown. */
function refuseLost(wanted: readonly RequestedSignal[], table?: SymbolTable): void {
  const isGone = (places: readonly Place[]) => places.every((place) => place === null);
  const gone = wanted.filter(({ whole }) => isGone(whole));
  if (gone.length > 0) throw lost(gone, table);
  if (wanted.length > 0 && wanted.every(({ places }) => isGone(places))) throw lost(wanted, table);
}

function lost(signals: readonly RequestedSignal[], table?: SymbolTable) {
  const names = signals.map(({ name }) => name);
  return signalsError('signal_lost', {
    message: `Nothing is left of ${quoted(names)} in the running design: it was optimised away.${nearestOf(table, names)}`,
  });
}

/** Lost bits as a mask; undefined where there are none. */
export function lostMask(places: readonly Place[]): string | undefined {
  let mask = 0n;
  places.forEach((place, bit) => {
    if (place === null) mask |= 1n << BigInt(bit);
  });
  return mask === 0n ? undefined : `0x${mask.toString(16)}`;
}
