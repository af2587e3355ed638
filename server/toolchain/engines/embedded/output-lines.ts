import { type Clock, every } from '../../../clock.ts';
import { LineCutter } from '../../../process/line-cutter.ts';
import { withoutControls } from '../../../text.ts';
import type { OutputReader } from './shared-output.ts';

/** Interval of reading a tool's output, ms: live for a reader, with few wake-ups. */
const LOOK = 25;

/** Limit of a line, characters. */
const MAX_LINE_LENGTH = 16 * 1024;

/** Limit of a tool's output, bytes. A design can make a tool print without end. */
const MAX_OUTPUT_BYTES = 8 * 2 ** 20;

/** Cuts the output of a tool into lines and passes each on as soon as it is complete. */
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

  /** Passes on new output. */
  read(): void {
    const bytes = this.#reader.read();
    if (bytes.length > 0) this.#cutter.write(bytes);
  }

  /** Passes on the rest, with an unfinished line, when the tool has ended. */
  end(): void {
    this.#cancelLook();
    this.read();
    this.#cutter.end();
  }
}
