import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Whether a value matches a schema; compiled on first use. */
export type Check<T> = (value: unknown) => value is T;

/**
 * A check of data from outside the process: a file, a worker, another program. Compiled on first use, so that a start
 * compiles only what it reads.
 */
export function checkOf<T extends TSchema>(schema: T): Check<Static<T>> {
  let validator: { Check(value: unknown): boolean } | undefined;
  return (value): value is Static<T> => {
    validator ??= Compile(schema);
    return validator.Check(value);
  };
}

/** Parses JSON text and checks it; null where it is not JSON or the check fails. */
export function parseAs<T>(text: string, check: Check<T>): T | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return check(value) ? value : null;
}
