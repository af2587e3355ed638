import { type Piece, piecesOf } from './outline-lexer.ts';

/** What of the modules is kept: what says something of their ports, or everything but `initial` blocks. */
export type OutlineOf = 'ports' | 'all but initial';

/** A source without the bodies of its modules. */
export interface Outline {
  /** Line for line the source. */
  text: string;
  /** Module → the words of what was left out of it, among them the names of the modules that it instantiates. */
  mentions: Map<string, Set<string>>;
}

/** Stands where something was left out, so that a module with content does not become one without. */
const LEFT_OUT = 'initial begin end ';

/** A macro that expands to one of these may begin or end what is kept. */
const STRUCTURE =
  /\b(?:(?:end)?(?:module|function|task|generate|case|package|interface)|begin|end|case[xz]|fork|join|input|output|inout|parameter|localparam|initial|typedef|import)\b|`include/;

/** Items of a module that its ports can depend on. */
const DECLARES = new Set(['input', 'output', 'inout', 'parameter', 'localparam', 'typedef', 'import']);
/** Kinds of nets and variables: where one has the name of a port, it says something of that port. */
const NETS = new Set(
  'wire reg logic bit integer tri tri0 tri1 wand wor triand trior supply0 supply1 var'.split(' '),
);
/** Items with an end of their own. */
const BLOCKS: Readonly<Record<string, string>> = {
  function: 'endfunction',
  task: 'endtask',
  generate: 'endgenerate',
  specify: 'endspecify',
  property: 'endproperty',
  sequence: 'endsequence',
  covergroup: 'endgroup',
  clocking: 'endclocking',
};
const OPENS = new Set(['begin', 'case', 'casex', 'casez', 'randcase', 'fork']);
const CLOSES = new Set(['end', 'endcase', 'join', 'join_any', 'join_none']);

/** The structure of the source is not what this reader knows. */
class Unsure extends Error {}

/**
 * Leaves the bodies of modules out of a source in Verilog or SystemVerilog, without elaborating anything of them:
 * loops cost nothing. The compiler directives stay, so that the tool that reads the outline decides what is live.
 *
 * Ports of a module with an ANSI header do not depend on its body, except for constants and functions, which are
 * kept. Ports of one with a plain list of names do: what declares them is kept. Where something that matters is
 * left out by mistake, the tool finds a name without a declaration: the outline has errors, and nothing is concluded.
 * @returns null where the structure cannot be told for sure, among others with macros that hide it
 */
export function outlineOf(text: string, keep: OutlineOf): Outline | null {
  try {
    return new Outliner(text, keep).run();
  } catch (error) {
    if (error instanceof Unsure) return null;
    throw error;
  }
}

class Outliner {
  readonly #text: string;
  readonly #keep: OutlineOf;
  readonly #pieces: Piece[];
  readonly #mentions: Outline['mentions'] = new Map();
  #at = 0;
  #result = '';
  /** Up to here the text has been taken over. */
  #done = 0;

  constructor(text: string, keep: OutlineOf) {
    this.#text = text;
    this.#keep = keep;
    this.#pieces = piecesOf(text);
  }

  run(): Outline {
    for (const { kind, text } of this.#pieces)
      if (kind === 'directive' && text.startsWith('`define') && STRUCTURE.test(definition(text)))
        throw new Unsure();
    while (this.#at < this.#pieces.length)
      if (this.#isWord('module') || this.#isWord('macromodule')) this.#module();
      else this.#at++;
    return { text: this.#result + this.#text.slice(this.#done), mentions: this.#mentions };
  }

  get #piece(): Piece {
    const piece = this.#pieces[this.#at];
    if (!piece) throw new Unsure(); // the source ends in the middle of something
    return piece;
  }

  #isWord(text: string): boolean {
    const piece = this.#pieces[this.#at];
    return piece?.kind === 'word' && piece.text === text;
  }

  #module(): void {
    this.#at++;
    while (this.#isWord('automatic') || this.#isWord('static')) this.#at++;
    const { kind, text: name } = this.#piece;
    if (kind !== 'word' && !(kind === 'other' && name.startsWith('\\'))) throw new Unsure();
    const plain = name.replace(/^\\/, '');
    const mentions = this.#mentions.get(plain) ?? new Set<string>();
    this.#mentions.set(plain, mentions);
    const header = this.#header();
    const ansi = ['input', 'output', 'inout'].some((word) => header.has(word));
    while (!this.#isWord('endmodule')) this.#item(ansi ? null : header, mentions);
    this.#at++;
  }

  /** Passes the header up to its semicolon: the words in it. */
  #header(): Set<string> {
    const words = new Set<string>();
    let importing = false;
    for (let depth = 0; ; this.#at++) {
      while (this.#piece.kind === 'attribute') this.#attribute();
      const { kind, text } = this.#piece;
      if (kind === 'word') {
        if (text === 'endmodule' || text === 'module') throw new Unsure();
        importing ||= depth === 0 && text === 'import';
        words.add(text);
      } else if (kind === 'mark') {
        depth += nesting(text);
        if (depth > 0 || text !== ';') continue;
        if (!importing) break;
        importing = false;
      }
    }
    this.#at++;
    return words;
  }

  /** Passes one item of a body, and leaves it out where it says nothing of the ports. */
  #item(names: ReadonlySet<string> | null, mentions: Set<string>): void {
    const from = this.#at;
    if (this.#piece.kind === 'directive') {
      this.#at++;
      return;
    }
    while (this.#piece.kind === 'attribute') this.#attribute();
    const first = this.#piece;
    if (first.kind === 'directive') throw new Unsure(); // an attribute for one of two branches
    // Might declare a port.
    if (first.kind === 'macro' && names !== null) throw new Unsure();
    const word = first.kind === 'word' ? first.text : '';
    if (word === 'module' || word === 'endmodule') throw new Unsure();
    if (this.#keep === 'all but initial') {
      if (word === 'initial') {
        this.#pass();
        this.#leaveOut(from, mentions);
      } else this.#at++;
      return;
    }
    const end = BLOCKS[word];
    if (end !== undefined) this.#passTo(end);
    else this.#pass();
    const kept =
      DECLARES.has(word) ||
      word === 'function' ||
      (names !== null && NETS.has(word) && this.#declares(from, names));
    if (!kept) this.#leaveOut(from, mentions);
  }

  #attribute(): void {
    while (!(this.#piece.text === '*' && this.#pieces[this.#at + 1]?.text === ')')) this.#at++;
    this.#at += 2;
  }

  /** Passes everything up to a word and the label behind it. */
  #passTo(end: string): void {
    for (; ; this.#at++) {
      const { kind, text } = this.#piece;
      if (kind !== 'word') continue;
      if (text === end) break;
      if (text === 'endmodule' || text === 'module') throw new Unsure();
    }
    this.#at++;
    this.#label();
  }

  #label(): void {
    if (this.#pieces[this.#at]?.text === ':') this.#at += 2;
  }

  /**
   * Passes a statement: up to its semicolon, or to the `end` of what it opened; an `else` continues it. Every
   * branch of a condition of the preprocessor has to leave the nesting as it found it.
   */
  #pass(): void {
    let depth = 0;
    /** Nesting at the beginning of each condition that is open here. */
    const conditions: number[] = [];
    let ended = false;
    for (;;) {
      const { kind, text } = this.#piece;
      const before = this.#pieces[this.#at - 1]?.text;
      if (kind === 'directive') {
        if (/^`ifn?def/.test(text)) conditions.push(depth);
        else if (/^`(?:elsif|else|endif)/.test(text)) {
          // A branch that the statement began in ends before the statement does.
          if (conditions.at(-1) !== depth) throw new Unsure();
          if (text === '`endif') conditions.pop();
        }
        this.#at++;
      } else if (kind === 'attribute') {
        // `@(* )` is none; an attribute within a statement is of no interest.
        this.#attribute();
      } else {
        this.#at++;
        if (kind === 'word') {
          if (text === 'endmodule' || text === 'module') throw new Unsure();
          if (OPENS.has(text) && !(text === 'fork' && (before === 'wait' || before === 'disable'))) depth++;
          else if (CLOSES.has(text)) {
            depth--;
            this.#label();
            ended ||= depth === 0;
          }
        } else if (kind === 'mark') {
          depth += nesting(text);
          ended ||= depth === 0 && text === ';';
        }
        if (depth < 0) throw new Unsure();
      }
      if (!ended || depth > 0 || conditions.length > 0) continue;
      if (!this.#isWord('else')) return;
      ended = false;
    }
  }

  /** Whether an item declares one of the names; what it makes them equal to does not count. */
  #declares(from: number, names: ReadonlySet<string>): boolean {
    let depth = 0;
    let value = false;
    for (const { kind, text } of this.#pieces.slice(from, this.#at)) {
      if (kind === 'mark' || kind === 'attribute') depth += nesting(text[0] ?? '');
      if (kind === 'mark' && depth === 0) value = text === '=' || (value && text !== ',');
      else if (kind === 'word' && depth === 0 && !value && names.has(text)) return true;
    }
    return false;
  }

  /** Blanks the pieces since `from`; line ends and directives stay where they are. */
  #leaveOut(from: number, mentions: Set<string>): void {
    const pieces = this.#pieces.slice(from, this.#at);
    this.#result += this.#text.slice(this.#done, pieces[0]?.start) + LEFT_OUT;
    this.#done = pieces[0]?.start ?? this.#done;
    for (const { kind, text, start, end } of pieces) {
      if (kind === 'word') mentions.add(text);
      else if (text.startsWith('\\')) mentions.add(text.slice(1));
      if (kind !== 'directive') continue;
      this.#result += ` ${lineEnds(this.#text.slice(this.#done, start))}${text}`;
      this.#done = end;
    }
    const end = pieces.at(-1)?.end ?? this.#done;
    this.#result += ` ${lineEnds(this.#text.slice(this.#done, end))}`;
    this.#done = end;
  }
}

/** The text of a macro's definition without its name and its comments. */
const definition = (directive: string) =>
  directive.replace(/^`define\s+\w+/, '').replace(/\/\*[\s\S]*?\*\/|\/\/[^\n\\]*/g, ' ');
const nesting = (mark: string): number => (/[([{]/.test(mark) ? 1 : /[)\]}]/.test(mark) ? -1 : 0);
const lineEnds = (text: string) => text.replace(/[^\n]/g, '');
