/** A piece of Verilog text; white space and comments are left out. */
export interface Piece {
  kind:
    | 'word'
    /** A directive of the language with everything that belongs to it: a definition to the end of its lines. */
    | 'directive'
    /** The use of a macro. */
    | 'macro'
    /** `(*` that begins an attribute. */
    | 'attribute'
    /** One character of punctuation. */
    | 'mark'
    /** Strings, escaped and system names, numbers: nothing that structures a source. */
    | 'other';
  text: string;
  start: number;
  end: number;
}

/** Directives that take the rest of their line, and its continuations. */
const TO_LINE_END =
  'define|timescale|default_nettype|line|pragma|begin_keywords|end_keywords|unconnected_drive';

// A comment, then one alternative per kind, in the order of KINDS; anything else is white space.
const PIECE = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`,
    String.raw`([A-Za-z_][\w$]*)`,
    String.raw`(${'`'}(?:(?:${TO_LINE_END})\b(?:\\\n|[^\n])*|(?:ifdef|ifndef|elsif|undef)\b[ \t]*\w*|(?:else|endif|undefineall|resetall|celldefine|endcelldefine|nounconnected_drive)\b|include\b[ \t]*(?:"[^"\n]*")?))`,
    String.raw`(${'`'}\w*)`,
    String.raw`(\(\*(?!\s*\)))`,
    String.raw`("(?:[^"\\\n]|\\[\s\S])*"?|\\\S+|\$[\w$]*|'[sS]?[bodhBODH]\s*[\w?]+|\d[\w.]*)`,
    String.raw`([^\s])`,
  ].join('|'),
  'g',
);
const KINDS: Piece['kind'][] = ['word', 'directive', 'macro', 'attribute', 'other', 'mark'];

/** Splits Verilog or SystemVerilog into pieces without preprocessing it. Never fails. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const match of text.matchAll(PIECE)) {
    const kind = KINDS.find((_, at) => match[at + 1] !== undefined);
    if (kind) pieces.push({ kind, text: match[0], start: match.index, end: match.index + match[0].length });
  }
  return pieces;
}
