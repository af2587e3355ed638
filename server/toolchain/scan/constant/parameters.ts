import { evaluate, type Scope, Unknown } from './evaluate.ts';
import { type Expression, type Reader, Unread } from './expression.ts';
import { GoesOn, widthOf } from './interpreter.ts';
import { type Type, typeAt } from './statements.ts';
import { numberOf, type Value, value } from './value.ts';

/** A parameter as it is declared. */
export interface Parameter {
  type: Type | null;
  /** Null where it is not understood, or absent. */
  value: Expression | null;
}

const CLOSES = new Set([')', ']', '}']);
/** The last three where it has no default. */
const BEHIND_NAME = new Set(['=', ',', ')', ';']);
const OPENS = new Set(['(', '[', '{']);

/**
 * Reads `integer A = 1, B = 2` from behind `parameter` or `localparam`; the commas of a header may be followed by
 * another such keyword, and the list ends there.
 */
export function parametersAt(reader: Reader): Map<string, Parameter> {
  const found = new Map<string, Parameter>();
  let [type, signed] = typeOf(reader);
  for (;;) {
    const name = reader.tokens[reader.at];
    if (name?.kind !== 'word' || !BEHIND_NAME.has(reader.tokens[reader.at + 1]?.text ?? '')) return found;
    reader.at++;
    const given = reader.takes('=') ? tried(() => reader.expression()) : null;
    // Without a range the width is that of the value.
    const value: Expression | null =
      given && signed ? { kind: 'call', name: '$signed', given: [given], place: { from: 0, to: 0 } } : given;
    found.set(name.text, { type, value });
    if (!passTo(reader) || ['parameter', 'localparam'].includes(reader.text)) return found;
    if (!BEHIND_NAME.has(reader.tokens[reader.at + 1]?.text ?? '')) [type, signed] = typeOf(reader);
  }
}

function typeOf(reader: Reader): [type: Type | null, signed: boolean] {
  if (reader.text === 'signed' && reader.tokens[reader.at + 1]?.text !== '[') {
    reader.at++;
    return [null, true];
  }
  return [tried(() => typeAt(reader)), false];
}

/** Passes what is left of a value; whether there is another one behind its comma. */
function passTo(reader: Reader): boolean {
  for (let depth = 0; reader.at < reader.tokens.length; reader.at++) {
    const { text } = reader;
    if (depth === 0 && text === ',') {
      reader.at++;
      return true;
    }
    if (depth === 0 && (text === ';' || text === ')')) return false;
    depth += OPENS.has(text) ? 1 : CLOSES.has(text) ? -1 : 0;
  }
  return false;
}

function tried<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unread) return null;
    throw error;
  }
}

/** Null for what cannot be told, or goes on for too long. */
export function told<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Unknown || error instanceof GoesOn) return null;
    throw error;
  }
}

/**
 * The value of a parameter; null where it cannot be told.
 * @param given what an instance gives it in place of its default
 */
export function parameterValue({ type, value: by }: Parameter, scope: Scope, given?: Value): Value | null {
  return told(() => {
    const width = type && widthOf(type, scope);
    const one = given ?? (by && evaluate(by, scope, width ?? 0));
    if (!one) return null;
    return type && width !== null ? value(numberOf(one), width, type.signed) : one;
  });
}
