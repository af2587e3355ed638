/** A piece of Verilog text. White space and comments are skipped. */
export interface Piece {
  kind:
    | 'word'
    /** A directive with its arguments; a definition to the end of its lines. */
    | 'directive'
    /** A use of a macro. */
    | 'macro'
    /** `(*` at the start of an attribute. */
    | 'attribute'
    /** One character of punctuation. */
    | 'mark'
    /** Strings, escaped and system names, numbers. */
    | 'other';
  text: string;
  start: number;
  end: number;
}

/** A comment; one without an end takes the rest. */
export const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;

/** A text with a space for each comment. */
export const withoutComments = (text: string): string => text.replace(new RegExp(COMMENT, 'g'), ' ');

/** Directives that extend to the end of their line, with continuations. */
const TO_LINE_END =
  'define|timescale|default_nettype|line|pragma|begin_keywords|end_keywords|unconnected_drive';

// A comment, then one alternative for each kind, in the order of KINDS. The rest is white space.
const PIECE = new RegExp(
  [
    COMMENT.source,
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

/** Splits Verilog or SystemVerilog into pieces without preprocessing. Never fails. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const match of text.matchAll(PIECE)) {
    const kind = KINDS.find((_, at) => match[at + 1] !== undefined);
    if (kind) pieces.push({ kind, text: match[0], start: match.index, end: match.index + match[0].length });
  }
  return pieces;
}
