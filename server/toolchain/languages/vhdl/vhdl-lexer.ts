/** A piece of VHDL text. All pieces together are the whole text. */
export interface VhdlToken {
  kind:
    | 'comment'
    | 'string'
    /** `'x'` */
    | 'character'
    /** `\extended\` */
    | 'extended'
    | 'word'
    | 'number'
    /** Tick of an attribute or a qualified expression. */
    | 'tick'
    | 'space'
    /** Operators, delimiters, and characters that VHDL does not have. */
    | 'other';
  text: string;
  start: number;
  line: number;
}

// One alternative for each kind, in the order of KINDS. tokenAt handles ticks.
const PIECE =
  /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\n]|"")*")|(\\(?:[^\\\n]|\\\\)*\\)|([A-Za-z]\w*)|(\d[\w.#]*)|([ \t\n\r]+)|([\s\S])/uy;
const KINDS = ['comment', 'string', 'extended', 'word', 'number', 'space', 'other'] as const;

/**
 * Words that are reserved in every edition of VHDL (IEEE 1076-1987 on) and cannot end a name. A tick after one of them
 * begins a character literal.
 */
const RESERVED = new Set(
  'abs access after alias and architecture array assert attribute begin block body buffer bus case component configuration constant disconnect downto else elsif end entity exit file for function generate generic guarded if in inout is label library linkage loop map mod nand new next nor not null of on open or others out package port procedure process record register rem report return select severity signal then to transport type units until use variable wait when while with xor'.split(
    ' ',
  ),
);

/** Words that are reserved in some editions, or by PSL; tools differ in them. */
const SOMETIMES_RESERVED = new Set(
  'all assume assume_guarantee context cover default fairness force group impure inertial literal parameter postponed property protected private pure range reject release restrict restrict_guarantee rol ror sequence shared sla sll sra srl strong subtype unaffected view vmode vprop vunit xnor'.split(
    ' ',
  ),
);

/**
 * Splits VHDL into tokens. Never fails: an unknown character is `other`.
 *
 * Only the tick depends on the token before. After a name, `)`, `]` or `all` it belongs to an attribute or a qualified
 * expression, `character'('"')`; elsewhere `'x'` is a character literal (IEEE 1076-2008, 15.3 and 15.8). This decides
 * what is code and what is in a string, and so what a tool runs.
 */
export function tokenizeVhdl(text: string): VhdlToken[] {
  const tokens: VhdlToken[] = [];
  let line = 1;
  let before: VhdlToken | null = null;
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at, line, before);
    tokens.push(token);
    at += token.text.length;
    for (let end = token.text.indexOf('\n'); end >= 0; end = token.text.indexOf('\n', end + 1)) line++;
    if (token.kind !== 'space' && token.kind !== 'comment') before = token;
  }
  return tokens;
}

function tokenAt(text: string, start: number, line: number, before: VhdlToken | null): VhdlToken {
  if (text[start] === "'") {
    if (text[start + 2] === "'" && text[start + 1] !== '\n' && !endsName(before))
      return { kind: 'character', text: text.slice(start, start + 3), start, line };
    return { kind: 'tick', text: "'", start, line };
  }
  PIECE.lastIndex = start;
  const match = PIECE.exec(text);
  const at = match ? KINDS.findIndex((_, index) => match[index + 1] !== undefined) : -1;
  return { kind: KINDS[at] ?? 'other', text: match?.[0] ?? text[start] ?? '', start, line };
}

/** Whether a tick after the token does not begin a character literal. */
function endsName(token: VhdlToken | null): boolean {
  if (token === null) return false;
  switch (token.kind) {
    case 'word':
      return !RESERVED.has(token.text.toLowerCase());
    case 'other':
      return token.text === ')' || token.text === ']';
    case 'tick':
      return false;
    default:
      return true;
  }
}

/**
 * Whether every VHDL tool takes a tick after the token for a tick: the token is a plain name. After a bracket, `all` or a
 * literal GHDL 2 decides by the character after next, and reads `)'('` as the end of an expression and a literal.
 */
export const isPlainName = (token: VhdlToken | null): boolean =>
  token?.kind === 'word' &&
  !RESERVED.has(token.text.toLowerCase()) &&
  !SOMETIMES_RESERVED.has(token.text.toLowerCase());
