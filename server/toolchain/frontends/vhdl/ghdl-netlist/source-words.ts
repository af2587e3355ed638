import { isPlainName } from '../../../languages/vhdl/vhdl-lexer.ts';
import { tokenFrom, typesByName, type VhdlSource, vhdlSource } from '../../../languages/vhdl/vhdl-places.ts';
import type { Gate, NetlistModule, OperandType as Type } from './netlist.ts';

/** Gates that need information from the source. */
const NEEDS_SOURCE = /^\$(?:strunc|sextend|add|sub|eq|ne|[us](?:lt|le|gt|ge|div|mod)|srem)$/;

/** Gates whose operands may be numbers. */
const WITH_NUMBERS = /^\$(?:eq|ne|[us](?:lt|le|gt|ge|div|mod)|srem)$/;

const NUMBERS = /^(?:integer|natural|positive)$/;
const SIGNED = /^(?:unresolved_)?signed$/;
const VECTORS = /^(?:unsigned|unresolved_unsigned|std_logic_vector|std_ulogic_vector)$/;
const NUMBER_FUNCTIONS =
  /^(?:to_integer|conv_integer|integer|natural|positive|find_leftmost|find_rightmost)$/;
const SIGNED_FUNCTIONS = /^(?:signed|to_signed|conv_signed)$/;
const VECTOR_FUNCTIONS =
  /^(?:unsigned|resize|to_unsigned|conv_unsigned|shift_left|shift_right|rotate_left|rotate_right|abs)$/;
const NUMBER_ATTRIBUTES = /^(?:length|left|right|high|low|pos)$/;

/** Synopsys's packages cut numbers in comparisons; IEEE's packages do not. */
const SYNOPSYS = /^std_logic_(?:arith|unsigned|signed)$/;
const IEEE = /^numeric_(?:std|std_unsigned|bit|bit_unsigned)$/;

interface Source extends VhdlSource {
  isSynopsys: boolean;
  /** Its vectors are signed numbers. */
  isSigned: boolean;
}

/** What a declared type is, in its source. */
function typeOf(base: string, { isSigned }: Source): Type {
  const type = isSigned && base === 'std_logic_vector' ? 'signed' : base;
  if (NUMBERS.test(type)) return 'number';
  if (SIGNED.test(type)) return 'signed';
  return VECTORS.test(type) ? 'vector' : null;
}

/** Functions whose value has the type of their first argument. */
const SAME_TYPE = /^(?:resize|shift_left|shift_right|rotate_left|rotate_right|abs)$/;

/** The type of the operand that ends or begins at a token. */
function operandType(source: Source, at: number, step: -1 | 1, types: ReadonlyMap<string, Type>): Type {
  const text = (n: number) => source.tokens[n]?.text ?? '';
  const argumentType = (n: number): Type =>
    text(n + 1) === '(' ? operandType(source, n + 2, 1, types) : null;
  const named = (n: number): Type => {
    const name = text(n);
    const own = SAME_TYPE.test(name) ? argumentType(n) : null;
    if (own !== null) return own;
    return NUMBER_FUNCTIONS.test(name)
      ? 'number'
      : SIGNED_FUNCTIONS.test(name)
        ? 'signed'
        : VECTOR_FUNCTIONS.test(name)
          ? 'vector'
          : (types.get(name) ?? null);
  };
  if (/^\d/.test(text(at))) return 'number';
  if (step === 1) {
    if (text(at + 1) === "'" && NUMBER_ATTRIBUTES.test(text(at + 2))) return 'number';
    return named(at);
  }
  if (text(at - 1) === "'") return NUMBER_ATTRIBUTES.test(text(at)) ? 'number' : null;
  if (text(at) !== ')') return named(at);
  let depth = 0;
  for (let open = at; open >= 0; open--) {
    if (text(open) === ')') depth++;
    else if (text(open) === '(' && --depth === 0) {
      const before = text(open - 1) === "'" ? open - 2 : open - 1;
      // A slice of a vector is a vector. A single element never occurs here: it has no difference.
      return named(before);
    }
  }
  return null;
}

/** Values of whole-number constants: `constant LIMIT : natural := 1000;`; null for a name with several values. */
function constantsOf(sources: readonly Source[]): Map<string, bigint | null> {
  const constants = new Map<string, bigint | null>();
  for (const { tokens } of sources)
    for (const [at, { text }] of tokens.entries()) {
      if (text !== 'constant' || tokens[at + 2]?.text !== ':') continue;
      const end = tokens.findIndex((token, n) => n > at && token.text === ';');
      const begin = tokens.findIndex(
        (token, n) => n > at && token.text === '=' && tokens[n - 1]?.text === ':',
      );
      const value = begin > 0 && begin < end ? numberAt({ tokens }, begin + 1, 1, new Map(), ';') : null;
      const name = tokens[at + 1]?.text ?? '';
      constants.set(name, constants.has(name) && constants.get(name) !== value ? null : value);
    }
  return constants;
}

/** Tokens that end an operand. */
const ENDS =
  /^(?:[();,<>=/?]|and|or|nand|nor|xor|xnor|then|else|when|if|elsif|until|while|return|generate|loop|report|not)$/;

/** The whole number at a token next to an operator; null when the operand is anything else. */
function numberAt(
  { tokens }: Pick<Source, 'tokens'>,
  at: number,
  step: -1 | 1,
  constants: ReadonlyMap<string, bigint | null>,
  end = '',
): bigint | null {
  const text = (n: number) => tokens[n]?.text ?? '';
  const isNegative = text(step === 1 ? at : at - 1) === '-' && (step === 1 || ENDS.test(text(at - 2)));
  const own = isNegative && step === 1 ? at + 1 : at;
  const neighbour = isNegative && step === -1 ? text(at - 2) : text(own + step);
  if (end ? neighbour !== end : !(ENDS.test(neighbour) || neighbour === '')) return null;
  const word = text(own);
  const value = /^\d[\d_]*$/.test(word) ? BigInt(word.replaceAll('_', '')) : (constants.get(word) ?? null);
  return value === null ? null : isNegative ? -value : value;
}

/**
 * Adds information from the sources to gates that need it: the operator or function of a gate, and the operands of a
 * sum or difference, which GHDL may exchange or extend wrongly up to release 6.
 * @param texts of the sources, by the path that GHDL reads
 */
export function withSourceWords(
  modules: readonly NetlistModule[],
  texts: ReadonlyMap<string, string>,
): NetlistModule[] {
  const sources = new Map(
    [...texts].map(([path, text]): [string, Source] => {
      const source = vhdlSource(text);
      const uses = (packages: RegExp) => source.tokens.some((token) => packages.test(token.text));
      const isSigned = uses(/^std_logic_signed$/);
      return [path, { ...source, isSynopsys: uses(SYNOPSYS) && !uses(IEEE), isSigned }];
    }),
  );
  let types: Map<string, Type> | null = null;
  let constants: Map<string, bigint | null> | null = null;
  const operandsOf = (source: Source, at: number, next: number): [Type, Type] => {
    types ??= typesByName([...sources.values()], typeOf);
    return [operandType(source, at - 1, -1, types), operandType(source, next, 1, types)];
  };
  const annotate = (gate: Gate): Gate => {
    const { file, line, column } = gate.place;
    const source = sources.get(file ?? '');
    if (!NEEDS_SOURCE.test(gate.kind) || source === undefined || line === undefined) return gate;
    let at = tokenFrom(source, line, column ?? 1);
    // The token may be any word of `ieee.numeric_std.resize`.
    while (/^\w/.test(source.tokens[at]?.text ?? '') && source.tokens[at + 1]?.text === '.') at += 2;
    const isIndex = isPlainName(source.tokens[at - 1] ?? null);
    const text = source.tokens[at]?.text ?? '';
    // An expression in brackets begins with one that says nothing.
    const word = text === '(' && !isIndex ? '' : text;
    if (WITH_NUMBERS.test(gate.kind)) {
      constants ??= constantsOf([...sources.values()]);
      // `<=` is two tokens.
      const next = /^[=>]$/.test(source.tokens[at + 1]?.text ?? '') ? at + 2 : at + 1;
      const numbers = [
        numberAt(source, at - 1, -1, constants),
        numberAt(source, next, 1, constants),
      ] as const;
      return {
        ...gate,
        word,
        numbers,
        isSynopsys: source.isSynopsys,
        operands: operandsOf(source, at, next),
      };
    }
    if (gate.kind !== '$add' && gate.kind !== '$sub') return { ...gate, word };
    return { ...gate, word, isSynopsys: source.isSynopsys, operands: operandsOf(source, at, at + 1) };
  };
  return modules.map((module) => ({ ...module, gates: module.gates.map(annotate) }));
}
