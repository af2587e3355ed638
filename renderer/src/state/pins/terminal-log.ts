import { ByteLog } from './byte-log.ts';

/** Stored lines and characters: the oldest go first, a tenth more may be there until then. */
const MAX_LINES = 50_000;
const MAX_CHARACTERS = 1 << 20;
/** A longer line is broken, so that each row is cheap to draw. */
const MAX_LINE_LENGTH = 1000;

/** A line as the terminal shows it. */
export interface TerminalLine {
  /** When its first character came, ms since 1970; null if this window did not see it come. */
  at: number | null;
  text: string;
  /** Ranges of the text that this window sent (local echo). */
  sent: readonly (readonly [number, number])[];
  /** Bytes that this window did not get before this line. */
  missing?: number;
}

/** An escape sequence: `ESC [ … letter`, or ESC and one character. */
type Escape = 'none' | 'begun' | 'sequence';

/**
 * What a serial line has brought, as lines and as bytes. A carriage return goes to the start of the line, a backspace
 * back by one; other control characters and escape sequences do nothing. Each byte is looked at once.
 */
export class TerminalLog {
  readonly bytes = new ByteLog();
  readonly #decoder = new TextDecoder();
  #lines: TerminalLine[] = [];
  /** Lines that are no longer stored. */
  #dropped = 0;
  #characters = 0;
  #cells: string[] = [];
  #echoed: boolean[] = [];
  #column = 0;
  #at: number | null = null;
  #missing = 0;
  #escape: Escape = 'none';
  #cleared = { line: 0, byte: 0 };

  /** Number of the first shown line. */
  get first(): number {
    return Math.max(this.#dropped, this.#cleared.line);
  }

  /** Number after the last line, which is not complete. */
  get end(): number {
    return this.#dropped + this.#lines.length + 1;
  }

  /** Count of the first shown byte. */
  get firstByte(): number {
    return Math.max(this.bytes.first, this.#cleared.byte);
  }

  line(number: number): TerminalLine | undefined {
    const at = number - this.#dropped;
    return at === this.#lines.length ? this.#current() : this.#lines[at];
  }

  /** Adds received bytes, one character a byte. @param at when they came; null if unknown */
  receive(text: string, at: number | null): void {
    const bytes = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    this.bytes.push(bytes);
    for (const character of this.#decoder.decode(bytes, { stream: true })) this.#take(character, at, false);
  }

  /** Adds what this window sent; each line ending is one line break. */
  echo(text: string, at: number): void {
    for (const character of text.replace(/\r\n?/g, '\n')) this.#take(character, at, true);
  }

  /** Goes on after bytes that this window did not get. @param marked the next line says so */
  skip(count: number, marked: boolean): void {
    if (this.#cells.length > 0) this.#break();
    this.bytes.skip(count);
    if (marked) this.#missing += count;
  }

  /** Hides everything so far. Returns the function that shows it again. */
  clear(): () => void {
    const before = this.#cleared;
    if (this.#cells.length > 0 || this.#missing > 0) this.#break();
    this.#cleared = { line: this.end - 1, byte: this.bytes.end };
    return () => {
      // The undo of an earlier clear shows more.
      if (before.line < this.#cleared.line) this.#cleared = before;
    };
  }

  #take(character: string, at: number | null, sent: boolean): void {
    if (!sent && this.#inEscape(character)) return;
    if (character === '\n') this.#break();
    else if (character === '\r') this.#column = 0;
    else if (character === '\b' || character === '\u007f') this.#column = Math.max(0, this.#column - 1);
    else if (character === '\t' || character >= ' ') this.#put(character, at, sent);
  }

  #put(character: string, at: number | null, sent: boolean): void {
    if (this.#column >= MAX_LINE_LENGTH) this.#break();
    if (this.#cells.length === 0) this.#at = at;
    this.#cells[this.#column] = character;
    this.#echoed[this.#column] = sent;
    this.#column += 1;
  }

  #inEscape(character: string): boolean {
    if (this.#escape === 'none') {
      if (character !== '\u001b') return false;
      this.#escape = 'begun';
    } else if (this.#escape === 'begun') {
      this.#escape = character === '[' ? 'sequence' : 'none';
      // Not a sequence: the character counts.
      return character === '[' || /[@-Z\\-_]/.test(character);
    } else {
      if (!/[0-9;?]|[ -/]/.test(character)) this.#escape = 'none';
      return this.#escape === 'sequence' || /[@-~]/.test(character);
    }
    return true;
  }

  #current(): TerminalLine {
    const sent: [number, number][] = [];
    let length = 0;
    for (let at = 0; at < this.#cells.length; at += 1) {
      const size = this.#cells[at]?.length ?? 0;
      const last = sent.at(-1);
      if (this.#echoed[at])
        if (last?.[1] === length) last[1] += size;
        else sent.push([length, length + size]);
      length += size;
    }
    const line = { at: this.#at, text: this.#cells.join(''), sent };
    return this.#missing > 0 ? { ...line, missing: this.#missing } : line;
  }

  #break(): void {
    const line = this.#current();
    this.#lines.push(line);
    this.#characters += line.text.length;
    this.#cells = [];
    this.#echoed = [];
    this.#column = 0;
    this.#at = null;
    this.#missing = 0;
    if (this.#lines.length > 1.1 * MAX_LINES || this.#characters > 1.1 * MAX_CHARACTERS) this.#forget();
  }

  #forget(): void {
    let gone = Math.max(0, this.#lines.length - MAX_LINES);
    for (const { text } of this.#lines.slice(0, gone)) this.#characters -= text.length;
    for (; this.#characters > MAX_CHARACTERS; gone += 1)
      this.#characters -= this.#lines[gone]?.text.length ?? 0;
    this.#lines = this.#lines.slice(gone);
    this.#dropped += gone;
  }
}
