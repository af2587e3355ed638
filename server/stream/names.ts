import {
  nameOfValue,
  type Place,
  placeOf,
  RegisterNameError,
  valueAt,
} from '../contract/client/register-names.ts';
import type { RegisterMap } from '../contract/designs/register-map.ts';
import type { NamedRunRequest, RunRequest } from '../contract/jobs/runs.ts';
import { POLL_WORDS } from '../contract/stream/stream-protocol.ts';
import { wishboneError } from '../errors/wishbone.ts';
import type { NodeStream } from './streams.ts';
import type { Outcome, Request } from './transaction.ts';

/** The register names of a stream's design. */
export interface NameAccess {
  /** The register map of the design. @throws BenchError where there is none */
  map(): Promise<RegisterMap>;
  /** Converts a request with names to numbers; `mask` is that of a field. @throws BenchError */
  numeric(request: NamedRunRequest, map: RegisterMap): { request: RunRequest; mask: number | undefined };
}

/** A stream's transaction by name. */
interface NamedTransaction {
  op: 'read' | 'write';
  address: string;
  count?: number;
  data?: (number | string)[];
  fixed_address?: boolean;
}

/** The outcome of a transaction by name; `named` is the map's name of a field's value. */
interface NamedOutcome {
  outcome: Outcome;
  named: string | undefined;
}

/** A place of a subscription by name. */
export interface NamedPlace {
  address: number;
  count: number;
  name: string;
  place: Place;
}

const asked = (stream: NodeStream, request: Request): Promise<Outcome> =>
  new Promise((resolve) => stream.ask(request, resolve));

/** The part of the words that a name means. */
export const wordsAt = (place: Place, data: Iterable<number>): number[] =>
  Array.from(data, (word) => valueAt(place, word));

/** The map's name of a field's value. */
export const namedAt = (place: Place, [value]: readonly number[]): string | undefined =>
  value === undefined ? undefined : nameOfValue(place, value);

/**
 * Reads or writes by name. A write to a field first reads the other bits of the word.
 * @throws BenchError for an unknown name or value
 */
export async function transactByName(
  stream: NodeStream,
  names: NameAccess,
  { op, address: name, count, data, fixed_address }: NamedTransaction,
): Promise<NamedOutcome> {
  const map = await names.map();
  const place = placeNamed(map, name);
  const wanted: NamedRunRequest = {
    op: op === 'write' ? 1 : 2,
    address: name,
    ...(data === undefined ? {} : { data }),
    ...(count === undefined ? {} : { count }),
    ...(fixed_address === undefined ? {} : { fixed_address }),
  };
  const { request, mask } = names.numeric(wanted, map);
  const { address, fixed_address: fixed = false } = request;
  let words = Uint32Array.from(request.data ?? []);
  const read = (length: number) =>
    asked(stream, { op: 'read', address, count: length, data: new Uint32Array(0), fixed });
  if (op === 'read') {
    const outcome = await read(request.count ?? 1);
    if (!outcome.ok) return { outcome, named: undefined };
    const values = wordsAt(place, outcome.data);
    return { outcome: { ...outcome, data: Uint32Array.from(values) }, named: namedAt(place, values) };
  }
  if (mask !== undefined) {
    const before = await read(1);
    if (!before.ok) return { outcome: before, named: undefined };
    words = Uint32Array.of(((before.data[0] ?? 0) & ~mask) | ((words[0] ?? 0) & mask));
  }
  const outcome = await asked(stream, { op: 'write', address, count: words.length, data: words, fixed });
  return { outcome, named: undefined };
}

/** @throws BenchError register_unknown */
function placeNamed(map: RegisterMap, name: string): Place {
  try {
    return placeOf(map, name);
  } catch (error) {
    if (error instanceof RegisterNameError)
      throw wishboneError('register_unknown', { message: error.message });
    throw error;
  }
}

/** The subscribed place of a name. @throws BenchError register_unknown */
export function polledByName(map: RegisterMap, name: string, count: number | undefined): NamedPlace {
  const place = placeNamed(map, name);
  const { address, words = 1 } = place.register;
  return { address, count: place.field ? 1 : (count ?? Math.min(words, POLL_WORDS)), name, place };
}
