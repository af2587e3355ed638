import { shortened } from '../verilog/source-pieces.ts';
import { type VhdlSource, vhdlSource } from './vhdl-places.ts';
import type { Asked, Said } from './vhdl-syntax-words.ts';

/** One of the generics or ports of an entity. */
interface Declared {
  name: string;
  type: string;
  line: number;
  /** Whether a value stands behind its type. */
  valued: boolean;
  /** Whether brackets with its range do. */
  ranged: boolean;
}

const VECTOR = /^(?:std_u?logic_vector|u?n?signed|bit_vector|u_unsigned|u_signed)$/;

/** A value that fits a type, as an example; null for a type of the design. */
function exampleOf(type: string): string | null {
  if (VECTOR.test(type)) return "(others => '0')";
  if (/^std_u?logic$|^bit$/.test(type)) return "'0'";
  if (/^(?:integer|natural|positive)$/.test(type)) return '1';
  if (type === 'boolean') return 'false';
  return type === 'string' ? '""' : null;
}

/** What an entity declares behind `generic` or `port`. */
function declaredBehind(word: 'generic' | 'port', entity: string, { tokens }: VhdlSource): Declared[] {
  const head = tokens.findIndex(
    ({ text }, at) => text === 'entity' && tokens[at + 1]?.text === entity && tokens[at + 2]?.text === 'is',
  );
  if (head < 0) return [];
  const end = tokens.findIndex(({ text }, at) => at > head && text === 'end');
  const from = tokens.findIndex(({ text }, at) => at > head && text === word);
  if (from < 0 || (end >= 0 && from > end)) return [];
  const found: Declared[] = [];
  let depth = 0;
  let last = from + 1;
  for (let at = from + 1; at < tokens.length; at++) {
    const text = tokens[at]?.text;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if ((depth === 1 && text === ';') || depth === 0) {
      found.push(...namesOf(tokens.slice(last + 1, at)));
      last = at;
    }
    if (depth === 0) break;
  }
  return found;
}

function namesOf(tokens: VhdlSource['tokens']): Declared[] {
  const colon = tokens.findIndex(({ text }) => text === ':');
  if (colon < 0) return [];
  let type = colon + 1;
  while (/^(?:in|out|inout|buffer)$/.test(tokens[type]?.text ?? '')) type++;
  while (tokens[type + 1]?.text === '.') type += 2;
  const valued = tokens.some(({ text }, at) => at > colon && text === ':' && tokens[at + 1]?.text === '=');
  return tokens
    .slice(0, colon)
    .filter(({ kind, text }) => kind === 'word' && text !== 'signal' && text !== 'constant')
    .map(({ text: name, line }) => ({
      name,
      line,
      type: tokens[type]?.text ?? '',
      valued,
      ranged: tokens[type + 1]?.text === '(',
    }));
}

/** What an entity lacks to be built by itself: values of its generics, ranges of its ports. */
export function incomplete(entity: string, { all }: Pick<Asked, 'all'>): Said | null {
  for (const [file, text] of all) {
    const source = vhdlSource(text);
    const generics = declaredBehind('generic', entity, source).filter(({ valued }) => !valued);
    const [first, ...others] = generics;
    if (first) {
      const value = exampleOf(first.type);
      const more =
        others.length > 0
          ? `, nor ${others.length > 1 ? `have ${others.length} others` : `has \`${shortened(others[0]?.name ?? '')}\``}`
          : '';
      const example =
        value === null ? 'one behind its type with `:=`' : `one behind its type, as in \`:= ${value}\``;
      return {
        file,
        line: first.line,
        said: `the generic \`${shortened(first.name)}\` of \`${entity}\` has no value${more}, and nothing around it gives one: write ${example}, or send the design that instantiates it along`,
      };
    }
    const open = declaredBehind('port', entity, source).find(
      ({ type, ranged }) => VECTOR.test(type) && !ranged,
    );
    if (open)
      return {
        file,
        line: open.line,
        said: `the port \`${shortened(open.name)}\` of \`${entity}\` has no range, and nothing around it says how wide it is: write one behind its type, as in \`${open.type}(31 downto 0)\``,
      };
  }
  return null;
}
