import { Code } from './cursor.ts';
import type { CodeToken } from './verilog-tokens.ts';

/** A constant and its definition; null for a value that is unknown or ambiguous. */
export interface Constant {
  value: number | null;
  line: number;
  file: string;
}
export type Constants = Map<string, Constant>;

/** Maximum nesting of brackets in an expression. */
const DEEPEST = 16;

/** Binary operators by precedence. */
const BINARY: Readonly<Record<string, readonly [strength: number, (a: number, b: number) => number]>> = {
  '|': [1, (a, b) => (a | b) >>> 0],
  '^': [2, (a, b) => (a ^ b) >>> 0],
  '&': [3, (a, b) => (a & b) >>> 0],
  '<<': [4, (a, b) => (b < 32 ? (a << b) >>> 0 : 0)],
  '>>': [4, (a, b) => (b < 32 ? a >>> b : 0)],
  '+': [5, (a, b) => a + b],
  '-': [5, (a, b) => a - b],
  '*': [6, (a, b) => a * b],
  '/': [6, (a, b) => (b === 0 ? Number.NaN : Math.floor(a / b))],
};

/** The value of an expression of numbers and constants; null for any other. */
export function constantValue(
  tokens: readonly CodeToken[],
  constants: ReadonlyMap<string, Constant>,
): number | null {
  let at = 0;
  const operand = (depth: number): number => {
    const token = tokens[at++];
    if (!token || depth > DEEPEST) return Number.NaN;
    if (token.kind === 'number') return token.value ?? Number.NaN;
    if (token.kind === 'name') return constants.get(token.text)?.value ?? Number.NaN;
    if (token.text !== '(') return Number.NaN;
    const inner = expression(0, depth + 1);
    return tokens[at++]?.text === ')' ? inner : Number.NaN;
  };
  const expression = (least: number, depth: number): number => {
    let left = operand(depth);
    for (;;) {
      const operator = BINARY[tokens[at]?.text ?? ''];
      if (!operator || operator[0] < least || depth > DEEPEST) return left;
      at++;
      left = operator[1](left, expression(operator[0] + 1, depth + 1));
    }
  };
  const value = expression(0, 0);
  return at === tokens.length && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 32 ? value : null;
}

/** Adds a constant; a second, different value makes it unknown. */
function put(constants: Constants, name: string, constant: Constant): void {
  const known = constants.get(name);
  constants.set(
    name,
    known && known.value !== constant.value ? { ...known, value: null } : (known ?? constant),
  );
}

/** The value of a text macro: `` `define NAME 8'h04 ``. @returns the code without such lines */
export function takeDefines(
  code: string,
  file: string,
  defines: Constants,
  tokensOf: (text: string) => CodeToken[],
): string {
  if (!code.includes('`define')) return code;
  const lines = code.split('\n');
  for (const [at, line] of lines.entries()) {
    const match = /^[ \t]{0,40}`define[ \t]{1,40}([A-Za-z_]\w{0,200})(?![\w(])(.{0,400})$/.exec(
      line.replace(/\r$/, ''),
    );
    if (!match) continue;
    const [, name = '', text = ''] = match;
    put(defines, `\`${name}`, { value: constantValue(tokensOf(text), defines), line: at + 1, file });
    lines[at] = '';
  }
  return lines.join('\n');
}

const ENDS = new Set([',', ';', ')', '}']);
const TYPE_END = new Set(['=', ',', ';', ')']);

/** Parameters, local parameters and names of enumerations. */
export function takeConstants(tokens: readonly CodeToken[], file: string, constants: Constants): void {
  const code = new Code(tokens);
  for (let at = 0; at < tokens.length; at++) {
    const word = code.text(at);
    if (word === 'localparam' || word === 'parameter') at = takeList(code, at + 1, file, constants) - 1;
    else if (word === 'enum') {
      const open = code.find(at + 1, new Set(['{', ';', ')']));
      if (code.text(open) === '{') at = takeEnum(code, open, file, constants) - 1;
    }
  }
}

/** `[type] [range] A = 1, B = 2`: returns the place after it. */
function takeList(code: Code, from: number, file: string, constants: Constants): number {
  for (let at = from; ; ) {
    const equals = code.find(at, TYPE_END);
    const name = code.tokens[equals - 1];
    if (code.text(equals) !== '=' || name?.kind !== 'name') return equals;
    const end = code.find(equals + 1, ENDS);
    const value = constantValue(code.tokens.slice(equals + 1, end), constants);
    put(constants, name.text, { value, line: name.line, file });
    // In the head of a module another `parameter` may follow.
    if (code.text(end) !== ',' || code.text(end + 1) === 'parameter' || code.text(end + 1) === 'localparam')
      return end;
    at = end + 1;
  }
}

/** `{A = 2'd0, B, C}` */
function takeEnum(code: Code, open: number, file: string, constants: Constants): number {
  let next: number | null = 0;
  let at = open + 1;
  for (; at < code.tokens.length && code.text(at) !== '}'; at++) {
    const name = code.tokens[at];
    if (name?.kind !== 'name') continue;
    const given = code.text(at + 1) === '=';
    const end = code.find(at + 1, ENDS);
    const value: number | null = given ? constantValue(code.tokens.slice(at + 2, end), constants) : next;
    put(constants, name.text, { value, line: name.line, file });
    next = value === null ? null : value + 1;
    at = code.text(end) === '}' ? end - 1 : end;
  }
  return at + 1;
}
