import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Whether a value is what a schema says; compiled when it is first asked. */
export type Check<T> = (value: unknown) => value is T;

/**
 * The check of what comes from outside the process's own code: a file, a worker, another program. Compiled at the
 * first call, so that a start pays only for what it reads.
 */
export function checkOf<T extends TSchema>(schema: T): Check<Static<T>> {
  let validator: { Check(value: unknown): boolean } | undefined;
  return (value): value is Static<T> => {
    validator ??= Compile(schema);
    return validator.Check(value);
  };
}

/** Parses JSON text and checks it; null where it is neither JSON nor what the check wants. */
export function parseAs<T>(text: string, check: Check<T>): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return check(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
