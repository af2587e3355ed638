/** A piece of Verilog text; white space and numbers are left out, line ends are kept. */
export interface Token {
  kind:
    | 'comment'
    | 'string'
    /** `\escaped ` */
    | 'escaped'
    /** `$name`, or a `$` alone. */
    | 'system'
    /** `` `name ``, or a back-tick alone. */
    | 'directive'
    /** Two back-ticks: token pasting. */
    | 'paste'
    | 'word'
    | 'newline'
    /** A bracket, a comma, or `<`; the rest of the punctuation is left out. */
    | 'other';
  text: string;
  start: number;
  end: number;
  line: number;
}

// One alternative per kind, in the order of `KINDS`. A backslash before a line end continues a macro: skipped.
const TOKEN =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\\\n]|\\[\s\S])*"?)|(\\(?!\r?\n)\S+)|(\$[\w$]*)|(``)|(`\w*)|([A-Za-z_][\w$]*)|(\n)|([()[\]{},<])|\\\r?\n|\d[\w.']*|[\s\S]/g;
const KINDS: Token['kind'][] = [
  'comment',
  'string',
  'escaped',
  'system',
  'paste',
  'directive',
  'word',
  'newline',
  'other',
];

/** Splits Verilog or SystemVerilog into tokens without preprocessing it. Never fails: what it does not know is `other`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const match of text.matchAll(TOKEN)) {
    const piece = match[0];
    for (let kind = 0; kind < KINDS.length; kind++) {
      if (match[kind + 1] === undefined) continue;
      const start = match.index;
      tokens.push({ kind: KINDS[kind]!, text: piece, start, end: start + piece.length, line });
      break;
    }
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) line++;
  }
  return tokens;
}

/** Replaces parts of a text; the line ends of a replaced part stay, so that line numbers stay true. */
export class Edits {
  #edits: { start: number; end: number; by: string }[] = [];

  replace(start: number, end: number, by = ''): void {
    this.#edits.push({ start, end, by });
  }

  apply(text: string): string {
    let result = '';
    let at = 0;
    for (const { start, end, by } of this.#edits.sort((a, b) => a.start - b.start)) {
      if (start < at) continue; // inside a part that is gone already
      const lost = text.slice(start, end);
      // A continued line of a macro stays continued.
      const lines = (lost.match(/\\?\n/g) ?? []).join('');
      result += text.slice(at, start) + (by || ' ') + lines;
      at = end;
    }
    return result + text.slice(at);
  }
}
