import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** The working line rate of a board. */
const KnownRateSchema = Type.Object({
  /** Bits a second. */
  rate: Type.Integer({ minimum: 1 }),
  /** Time of the measurement, milliseconds since 1970. */
  at: Type.Number(),
});

const LineRatesSchema = Type.Record(Type.String(), KnownRateSchema);

/** Identity of a board → its working rate. */
export type LineRates = Static<typeof LineRatesSchema>;

/** Storage of line rates: a document of the store. `write` resolves when they are on disk. */
export interface LineRateStore {
  readonly value: LineRates;
  write(rates: LineRates): Promise<void>;
}

/** Checks a document from disk. */
export const isLineRates = (value: unknown): value is LineRates => Value.Check(LineRatesSchema, value);

/** Stores line rates in memory only. */
export function transientLineRates(): LineRateStore {
  let value: LineRates = {};
  return {
    get value() {
      return value;
    },
    async write(rates) {
      value = rates;
    },
  };
}
