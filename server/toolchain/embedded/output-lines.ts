import { LineCutter } from '../../process/line-cutter.ts';
import { withoutControls } from '../../text.ts';

/** How long lines are gathered before they are passed on, milliseconds: live to a reader, few messages. */
const GATHER = 25;

/** Longest line that is passed on whole, characters. */
const LONGEST_LINE = 16 * 1024;

/** What one tool may print, bytes. A design can make a tool print without end. */
const MOST_OUTPUT = 8 * 2 ** 20;

/** Cuts a tool's output into lines and passes them on in small batches, each a message between threads. */
export class OutputLines {
  readonly #pass: (lines: string[]) => void;
  readonly #now: () => number;
  readonly #cutter: LineCutter;
  #lines: string[] = [];
  #passedAt = Number.NEGATIVE_INFINITY;

  /**
   * The first lines are passed on at once: a tool may be busy from there on, and nothing is passed on before it writes again.
   * @param now milliseconds that never jump: Clock.monotonic
   */
  constructor(pass: (lines: string[]) => void, now: () => number) {
    this.#pass = pass;
    this.#now = now;
    this.#cutter = new LineCutter(
      // Tools move the cursor with carriage returns.
      { carriageReturn: 'overwrites-line', longest: LONGEST_LINE, most: MOST_OUTPUT },
      (line) => this.#lines.push(withoutControls(line)),
    );
  }

  write(bytes: Uint8Array): void {
    this.#cutter.write(bytes);
    if (this.#now() - this.#passedAt >= GATHER) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    this.#passedAt = this.#now();
    this.#pass(this.#lines);
    this.#lines = [];
  }

  end(): void {
    this.#cutter.end();
    this.flush();
  }
}
