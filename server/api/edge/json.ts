import { validationError } from './validation.ts';

/** Maximum nesting of lists and objects in a request; the contract needs four levels. */
const DEEPEST = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** True when a text nests deeper than `most`: counts brackets outside strings, before parsing. */
function nestsDeeper(text: string, most: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (OPENING.has(code) && ++depth > most) return true;
    else if (CLOSING.has(code)) depth--;
  }
  return false;
}

/** `__proto__` in JSON, in any spelling, has no honest use here. */
const PROTO = /__proto__|\\u005f/i;

/**
 * Parses the JSON of a body, or of the form field at `loc`.
 * @throws BenchError validation_error, also for deep nesting, which would overflow the stack of a recursive function.
 */
export function parseRequestJson(text: string, loc: readonly string[]): unknown {
  const problem = (msg: string) => validationError([{ loc: [...loc], msg, type: 'json_invalid' }]);
  if (nestsDeeper(text, DEEPEST)) throw problem(`is nested more than ${DEEPEST} deep`);
  const reviver = (key: string, value: unknown): unknown => {
    if (key === '__proto__') throw problem('must not have a field __proto__');
    return value;
  };
  try {
    return JSON.parse(text, PROTO.test(text) ? reviver : undefined);
  } catch (error) {
    if (error instanceof SyntaxError) throw problem('is not valid JSON');
    throw error;
  }
}
