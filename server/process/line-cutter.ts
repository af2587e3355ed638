export interface LineRules {
  /**
   * What a carriage return does: it ends a line, so that every state of a progress bar is a line of its own and
   * empty ones are left out; or it overwrites, so that of a line only what was written last remains.
   */
  carriageReturn: 'ends-line' | 'overwrites-line';
  /** Characters of one line; what is longer is cut off. */
  longest: number;
  /** Bytes in all; what comes after them is left out. */
  most: number;
}

/** Cuts what a program prints (UTF-8) into lines and passes each on when it is complete. */
export class LineCutter {
  readonly #rules: LineRules;
  readonly #pass: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #taken = 0;

  constructor(rules: LineRules, pass: (line: string) => void) {
    this.#rules = rules;
    this.#pass = pass;
  }

  write(bytes: Uint8Array): void {
    const { carriageReturn, longest, most } = this.#rules;
    if (this.#taken > most) return;
    this.#taken += bytes.length;
    const ends = carriageReturn === 'ends-line' ? /[\r\n]/ : '\n';
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(ends);
    const rest = lines.pop() ?? '';
    // What is overwritten or cut off later is not kept. A carriage return at the very end overwrites nothing yet.
    // Kept before anything is passed on: whoever hears of a line may end it all.
    this.#rest = rest.slice(rest.lastIndexOf('\r', rest.length - 2) + 1).slice(0, longest);
    for (const line of lines) this.#give(line);
    if (this.#taken <= most) return;
    this.#rest = '';
    this.#pass('note: the program prints more than can be kept; the rest of its output is left out.');
  }

  /** The program prints nothing more: an unfinished line is passed on too. */
  end(): void {
    if (this.#rest !== '') this.#give(this.#rest);
    this.#rest = '';
  }

  #give(line: string): void {
    const { carriageReturn, longest } = this.#rules;
    if (carriageReturn === 'ends-line') {
      if (line !== '') this.#pass(line.slice(0, longest));
    } else {
      const written = line.replace(/\r+$/, '');
      this.#pass(written.slice(written.lastIndexOf('\r') + 1).slice(0, longest));
    }
  }
}
