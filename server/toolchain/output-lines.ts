/** How long lines are gathered before they are passed on, milliseconds: live to a reader, few messages. */
const GATHER = 25;

/** Longest line that is passed on whole, bytes. */
const LONGEST_LINE = 16 * 1024;

/** What one tool may print, bytes. A design can make a tool print without end. */
const MOST_OUTPUT = 8 * 2 ** 20;

/** Cuts a tool's output into lines and passes them on in small batches. */
export class OutputLines {
  readonly #pass: (lines: string[]) => void;
  readonly #now: () => number;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #lines: string[] = [];
  #passedAt: number;
  #total = 0;

  constructor(pass: (lines: string[]) => void, now: () => number = () => performance.now()) {
    this.#pass = pass;
    this.#now = now;
    this.#passedAt = now();
  }

  write(bytes: Uint8Array): void {
    if (this.#total > MOST_OUTPUT) return;
    this.#total += bytes.length;
    const parts = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#lines.push(tidy(part));
    if (this.#rest.length > LONGEST_LINE) {
      this.#lines.push(tidy(this.#rest));
      this.#rest = '';
    }
    if (this.#total > MOST_OUTPUT) {
      this.#rest = '';
      this.#lines.push('note: the tool prints more than a log can hold; the rest of its output is left out.');
    }
    if (this.#now() - this.#passedAt >= GATHER) this.flush();
  }

  flush(): void {
    this.#passedAt = this.#now();
    if (this.#lines.length === 0) return;
    this.#pass(this.#lines);
    this.#lines = [];
  }

  end(): void {
    if (this.#rest !== '') this.#lines.push(tidy(this.#rest));
    this.#rest = '';
    this.flush();
  }
}

/** Tools move the cursor with carriage returns and a source may hold control characters: neither is log text. */
const tidy = (line: string): string => {
  const text = line.replace(/\r+$/, '').replace(/^[\s\S]*\r/, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd').slice(0, LONGEST_LINE);
};
