import type { SourceLanguage } from './source-text.ts';

/** A constant and its definition; null for a value that is unknown or ambiguous. */
interface Constant {
  value: number | null;
  line: number;
  file: string;
}
/** By name; VHDL's names in small letters. */
export type Constants = Map<string, Constant>;

/** Longest definition that is read. */
const LONGEST = 20_000;

interface Definition {
  name: string;
  /** Undefined in an enumeration: one more than the last. */
  text: string | undefined;
  /** Of an enumeration: its first name. */
  isFirst?: boolean;
  at: number;
}

/** `A = 1, B = 2` and `{A, B = 4}`, with the index of each name in the code. */
function assigned(list: string, from: number, isEnumeration: boolean): Definition[] {
  const found: Definition[] = [];
  for (const match of list.matchAll(/([A-Za-z_]\w*)[ \t]*(?:=[ \t]*([^,;{}=]{1,200}))?(?=[,;}\n)]|$)/g)) {
    const [, name = '', text] = match;
    if (text !== undefined || isEnumeration)
      found.push({ name, text, isFirst: found.length === 0, at: from + match.index });
  }
  return found;
}

/** Parameters, text macros and names of enumerations. */
function inVerilog(code: string): Definition[] {
  const found: Definition[] = [];
  for (const { index, 0: text } of code.matchAll(/\b(?:localparam|parameter)\b[^;]*/g))
    if (text.length <= LONGEST) found.push(...assigned(text, index, false));
  for (const { index, 0: text } of code.matchAll(/\benum\b[^{;]{0,200}\{[^}]*/g))
    if (text.length <= LONGEST)
      found.push(...assigned(text.slice(text.indexOf('{')), index + text.indexOf('{'), true));
  for (const match of code.matchAll(/^[ \t]*`define[ \t]+([A-Za-z_]\w*)[ \t]+([^\n]{1,400})/gm))
    found.push({ name: `\`${match[1]}`, text: match[2], at: match.index });
  return found;
}

/** Constants and names of enumerations. */
function inVhdl(code: string): Definition[] {
  const found: Definition[] = [];
  for (const match of code.matchAll(/\bconstant\s+(\w+)\s*:[^;:]{1,200}:=\s*([^;]{1,200})/gi))
    found.push({ name: (match[1] ?? '').toLowerCase(), text: match[2], at: match.index });
  for (const match of code.matchAll(/\btype\s+\w+\s+is\s*(\([^)]{1,10000}\))/gi))
    found.push(...assigned((match[1] ?? '').toLowerCase(), match.index, true));
  return found;
}

const LITERAL =
  /^(?:(?:\d+)?\s*'\s*s?([bodh])\s*([\da-f_]+)|(x)?"([\da-f_]+)"|16#([\da-f_]+)#|([\d_]+)|(`?[a-z_]\w*))$/i;
const RADIX: Readonly<Record<string, number>> = { b: 2, o: 8, d: 10, h: 16 };

/** The value of a number, a constant, or a sum or shift of them; null for anything else. */
export function constantValue(text: string, constants: Constants): number | null {
  const plain = text.trim();
  const [, left, operator, right] = /^(.{1,150}?)\s*(\+|-|\*|<<)\s*(.{1,50})$/.exec(plain) ?? [];
  if (left !== undefined && right !== undefined) {
    const [a, b] = [constantValue(left, constants), constantValue(right, constants)];
    if (a === null || b === null) return null;
    const value = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a * 2 ** b;
    return value >= 0 && value < 2 ** 32 ? value : null;
  }
  const [, radix, digits, isHex, bits, hex, decimal, name] = LITERAL.exec(plain) ?? [];
  if (name !== undefined)
    return constants.get(name)?.value ?? constants.get(name.toLowerCase())?.value ?? null;
  const [number, base] =
    digits !== undefined
      ? [digits, RADIX[radix?.toLowerCase() ?? ''] ?? 10]
      : bits !== undefined
        ? [bits, isHex ? 16 : 2]
        : hex !== undefined
          ? [hex, 16]
          : [decimal ?? '', 10];
  const value = Number.parseInt(number.replaceAll('_', ''), base);
  return Number.isSafeInteger(value) && value < 2 ** 32 ? value : null;
}

/** Adds the constants of a file. A name with two values has none. @param code without comments */
export function takeConstants(
  code: string,
  language: SourceLanguage,
  file: string,
  constants: Constants,
): void {
  const definitions = language === 'vhdl' ? inVhdl(code) : language === 'verilog' ? inVerilog(code) : [];
  let [line, from] = [1, 0];
  let last: number | null = null;
  for (const { name, text, isFirst, at } of definitions.sort((a, b) => a.at - b.at)) {
    for (; from < at; from++) if (code[from] === '\n') line++;
    last =
      text !== undefined ? constantValue(text, constants) : isFirst ? 0 : last === null ? null : last + 1;
    const known = constants.get(name);
    constants.set(
      name,
      known && known.value !== last ? { ...known, value: null } : (known ?? { value: last, line, file }),
    );
  }
}
