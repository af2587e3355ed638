import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** The line rate that a board settled at. */
const KnownRateSchema = Type.Object({
  /** Bits a second. */
  rate: Type.Integer({ minimum: 1 }),
  /** When, milliseconds since 1970. */
  at: Type.Number(),
});

const LineRatesSchema = Type.Record(Type.String(), KnownRateSchema);

/** Identity of a board → the rate it settled at. */
export type LineRates = Static<typeof LineRatesSchema>;

/** Where line rates are kept between starts: a document of the store. `write` resolves when they are on disk. */
export interface LineRateStore {
  readonly value: LineRates;
  write(rates: LineRates): Promise<void>;
}

/** Checks a document that comes from disk. */
export const isLineRates = (value: unknown): value is LineRates => Value.Check(LineRatesSchema, value);

/** Keeps line rates for the life of the process only. */
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
