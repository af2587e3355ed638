import { type Clock, every } from '../../../clock.ts';
import { LineCutter } from '../../../process/line-cutter.ts';
import { withoutControls } from '../../../text.ts';
import type { OutputReader } from './shared-output.ts';

/** How often it is looked for what a tool has printed, milliseconds: live to a reader, few wakes. */
const LOOK = 25;

/** Longest line that is passed on whole, characters. */
const MAX_LINE_LENGTH = 16 * 1024;

/** What one tool may print, bytes. A design can make a tool print without end. */
const MAX_OUTPUT_BYTES = 8 * 2 ** 20;

/** Cuts what one run of a tool prints into lines, each as soon as it is there: also while the tool says nothing more. */
export class OutputLines {
  readonly #reader: OutputReader;
  readonly #cutter: LineCutter;
  readonly #cancelLook: () => void;

  constructor(reader: OutputReader, clock: Clock, pass: (line: string) => void) {
    this.#reader = reader;
    this.#cutter = new LineCutter(
      // Tools move the cursor with carriage returns.
      { carriageReturn: 'overwrites-line', longest: MAX_LINE_LENGTH, most: MAX_OUTPUT_BYTES },
      (line) => pass(withoutControls(line)),
    );
    this.#cancelLook = every(clock, LOOK, () => this.read());
  }

  /** Passes on what is there. */
  read(): void {
    const bytes = this.#reader.read();
    if (bytes.length > 0) this.#cutter.write(bytes);
  }

  /** The tool prints nothing more: an unfinished line is passed on too. */
  end(): void {
    this.#cancelLook();
    this.read();
    this.#cutter.end();
  }
}
