export interface LineRules {
  /**
   * The effect of a carriage return. It may end a line: then every state of a progress bar is a line, without empty
   * ones. Or it overwrites: then only the last text of a line remains.
   */
  carriageReturn: 'ends-line' | 'overwrites-line';
  /** Maximum characters of one line; the rest is cut off. */
  longest: number;
  /** Maximum total bytes; the rest is left out. */
  most: number;
}

/** Cuts a program's output (UTF-8) into lines and passes each on when it is complete. */
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
    // Drop overwritten and cut text; a carriage return at the very end overwrites nothing yet. Store the rest before
    // passing a line on, because a listener may end everything.
    this.#rest = rest.slice(rest.lastIndexOf('\r', rest.length - 2) + 1).slice(0, longest);
    for (const line of lines) this.#give(line);
    if (this.#taken <= most) return;
    this.#rest = '';
    this.#pass('note: the program prints more than the log can hold; the rest of its output is left out.');
  }

  /** The output has ended: passes an unfinished line on too. */
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
