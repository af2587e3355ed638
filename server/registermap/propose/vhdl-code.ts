import { type CodeToken, codeTokens } from './verilog-tokens.ts';

/** Literals of VHDL and their Verilog form: `x"04"`, `16#04#`, `"0100"`. */
const LITERALS: readonly (readonly [RegExp, (digits: string) => string])[] = [
  [/\bx"([0-9a-f_]{1,16})"/gi, (digits) => `${4 * digits.replaceAll('_', '').length}'h${digits}`],
  [/\b16#([0-9a-f_]{1,16})#/gi, (digits) => `'h${digits}`],
  [/"([01]{1,32})"/g, (digits) => `${digits.length}'b${digits}`],
  [/'([01])'/g, (digits) => `1'b${digits}`],
];

type Token = CodeToken;
const mark = (text: string, line: number): Token => ({ kind: 'mark', text, line });
const word = (text: string, line: number): Token => ({ kind: 'name', text, line });

/** Types whose conversion changes no value. */
const CASTS = new Set(['to_integer', 'unsigned', 'std_logic_vector', 'conv_integer', 'to_01', 'signed']);

/**
 * Translates VHDL tokens to Verilog as far as address decoders need it: constants, cases, comparisons, slices and
 * assignments. Other code stays as it is and is ignored later.
 */
export function vhdlAsVerilog(code: string): Token[] {
  let text = code;
  for (const [pattern, written] of LITERALS)
    text = text.replace(pattern, (_all, digits: string) => ` ${written(digits)} `);
  return new Translator(codeTokens(text)).all();
}

class Translator {
  readonly #tokens: readonly Token[];
  readonly #out: Token[] = [];
  /** Open constructs: `case` with or without an arm, `if`. */
  readonly #open: ('case' | 'arm' | 'if')[] = [];
  #at = 0;
  #inModule = false;
  /** Unclosed brackets of conditions. */
  #condition = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  #text(ahead = 0): string {
    const token = this.#tokens[this.#at + ahead];
    return token?.kind === 'name' ? token.text.toLowerCase() : (token?.text ?? '');
  }

  all(): Token[] {
    while (this.#at < this.#tokens.length) this.#step();
    return this.#out;
  }

  #put(...texts: string[]): void {
    const line = this.#tokens[this.#at]?.line ?? 0;
    for (const text of texts) this.#out.push(/^[a-z]/.test(text) ? word(text, line) : mark(text, line));
  }

  #step(): void {
    const token = this.#tokens[this.#at];
    if (!token) return;
    switch (this.#text()) {
      case 'architecture':
        this.#architecture();
        return;
      case 'constant':
      case 'signal':
      case 'variable':
        this.#declaration();
        return;
      case 'case':
        this.#put('case', '(');
        this.#open.push('case');
        this.#at++;
        return;
      case 'is':
        if (this.#open.at(-1) === 'case') this.#put(')');
        this.#at++;
        return;
      case 'when':
        this.#when();
        return;
      case 'if':
        this.#put('if', '(');
        this.#condition = true;
        this.#open.push('if');
        this.#at++;
        return;
      case 'elsif':
        this.#put('end', 'else', 'if', '(');
        this.#condition = true;
        this.#at++;
        return;
      case 'then':
        this.#put(')', 'begin');
        this.#condition = false;
        this.#at++;
        return;
      case 'else':
        if (this.#open.at(-1) === 'if') this.#put('end', 'else', 'begin');
        this.#at++;
        return;
      case 'end':
        this.#end();
        return;
      case 'and':
        this.#put('&&');
        this.#at++;
        return;
      case ':=':
        this.#put('=');
        this.#at++;
        return;
      case '=':
        this.#put(this.#condition ? '==' : '=');
        this.#at++;
        return;
      default:
        this.#plain(token);
        return;
    }
  }

  /** `architecture rtl of NAME is`: the module with its code. */
  #architecture(): void {
    if (this.#text(2) !== 'of') {
      this.#at++;
      return;
    }
    if (this.#inModule) this.#put('endmodule');
    this.#inModule = true;
    this.#put('module');
    this.#at += 3;
    this.#name();
  }

  #name(): void {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'name') this.#out.push({ ...token, text: token.text.toLowerCase() });
    this.#at++;
    // Without an open case, `is` means nothing here.
    if (this.#text() === 'is') this.#at++;
  }

  /** `signal a, b : std_logic_vector(7 downto 0) := …;` and constants, in the order of Verilog. */
  #declaration(): void {
    const isConstant = this.#text() === 'constant';
    const line = this.#tokens[this.#at]?.line ?? 0;
    const names: Token[] = [];
    let at = this.#at + 1;
    for (; this.#tokens[at] && this.#tokens[at]?.text !== ':' && names.length < 64; at++) {
      const token = this.#tokens[at];
      if (token?.kind === 'name') names.push({ ...token, text: token.text.toLowerCase() });
    }
    const type: Token[] = [];
    for (at++; this.#tokens[at] && this.#tokens[at]?.text !== ';' && this.#tokens[at]?.text !== ':='; at++) {
      const token = this.#tokens[at];
      if (token) type.push(token);
    }
    const value: Token[] = [];
    if (this.#tokens[at]?.text === ':=')
      for (at++; this.#tokens[at] && this.#tokens[at]?.text !== ';'; at++) {
        const token = this.#tokens[at];
        if (token) value.push(token);
      }
    this.#at = at + 1;
    if (isConstant) {
      for (const name of names)
        this.#out.push(
          word('localparam', line),
          name,
          mark('=', line),
          ...plainValue(value),
          mark(';', line),
        );
      return;
    }
    const downto = type.findIndex(({ text }) => text.toLowerCase() === 'downto');
    const [high, low] = [type[downto - 1], type[downto + 1]];
    const range =
      downto > 0 && high && low ? [mark('[', line), high, mark(':', line), low, mark(']', line)] : [];
    const isBit = type.length === 1 && /^std_u?logic$/i.test(type[0]?.text ?? '');
    if (range.length === 0 && !isBit) return;
    this.#out.push(word('wire', line), ...range);
    for (const [index, name] of names.entries())
      this.#out.push(...(index > 0 ? [mark(',', line)] : []), name);
    this.#out.push(mark(';', line));
  }

  /** `when A | B =>` is `A, B: begin`; a `when` of an expression stays. */
  #when(): void {
    const inCase = this.#open.at(-1) === 'case' || this.#open.at(-1) === 'arm';
    let arrow = this.#at;
    while (
      arrow < this.#at + 200 &&
      this.#tokens[arrow] &&
      !/^(?:=>|;)$/.test(this.#tokens[arrow]?.text ?? '')
    )
      arrow++;
    if (!inCase || this.#tokens[arrow]?.text !== '=>') {
      this.#at++;
      return;
    }
    if (this.#open.at(-1) === 'arm') this.#put('end');
    else this.#open.push('arm');
    for (this.#at++; this.#at < arrow; this.#at++) {
      const token = this.#tokens[this.#at];
      if (!token) break;
      if (this.#text() === 'others') this.#put('default');
      else if (token.text === '|') this.#put(',');
      else this.#out.push(lower(token));
    }
    this.#put(':', 'begin');
    this.#at = arrow + 1;
  }

  #end(): void {
    const what = this.#text(1);
    this.#at++;
    if (what === 'case') {
      if (this.#open.at(-1) === 'arm') {
        this.#open.pop();
        this.#put('end');
      }
      this.#open.pop();
      this.#put('endcase');
    } else if (what === 'if') {
      this.#open.pop();
      this.#put('end');
    }
    // Ends of processes and of the architecture have no Verilog counterpart.
    while (this.#at < this.#tokens.length && this.#tokens[this.#at]?.text !== ';') this.#at++;
    this.#at++;
  }

  /** Names in lower case; `a(7 downto 2)` and `a(3)` with Verilog brackets. */
  #plain(token: Token): void {
    this.#out.push(lower(token));
    this.#at++;
    if (token.kind !== 'name' || this.#text() !== '(' || CASTS.has(token.text.toLowerCase())) return;
    const inner: Token[] = [];
    let at = this.#at + 1;
    for (; inner.length < 8 && this.#tokens[at] && this.#tokens[at]?.text !== ')'; at++) {
      const one = this.#tokens[at];
      if (one) inner.push(one);
    }
    const downto = inner.findIndex(({ text }) => text.toLowerCase() === 'downto');
    if (
      this.#tokens[at]?.text !== ')' ||
      !(downto > 0 || (inner.length === 1 && inner[0]?.kind === 'number'))
    )
      return;
    const { line } = token;
    this.#out.push(
      mark('[', line),
      ...inner.map((one, index) => (index === downto ? mark(':', line) : lower(one))),
      mark(']', line),
    );
    this.#at = at + 1;
  }
}

const lower = (token: Token): Token =>
  token.kind === 'name' ? { ...token, text: token.text.toLowerCase() } : token;

/** `to_unsigned(4, 8)` is 4. */
function plainValue(tokens: readonly Token[]): Token[] {
  const [first, , second] = tokens;
  if (
    first?.kind === 'name' &&
    /^to_(?:unsigned|signed)$|^conv_std_logic_vector$/i.test(first.text) &&
    second
  )
    return [second];
  return tokens.map(lower);
}
