import type { Diagnostic } from '../../contract/diagnostics.ts';
import { reportedName } from '../tool-paths.ts';

/** In the log, in place of the condition that Yosys says has failed. */
const IN_LOG = 'a memory is neither block RAM nor small enough for registers';

/**
 * Commands that end Yosys where one of the conditions holds for a memory of the design; before that they print what is known of
 * such memories, their places among it. A condition is a selection out of `@memories`, or out of `@written`, which are no tables.
 */
export const refuseMemories = (conditions: readonly string[]): string[] => [
  'select -set memories t:$mem_v2',
  'select -set written @memories r:WR_PORTS>0 %i',
  `select -set refused ${conditions.join(' ')}`,
  'printattrs @refused',
  'select -assert-none @refused',
];

/** A memory that Yosys was ended for, as its author calls it. */
export interface RefusedMemory {
  /** Null where Yosys does not say. */
  name: string | null;
  /** Where it is declared, if that is known. */
  place: Pick<Diagnostic, 'file' | 'line' | 'column'>;
}

/** Listens to Yosys for what the commands of `refuseMemories` have found. */
export class RefusedMemories {
  #last = '';
  readonly #places = new Map<string, RefusedMemory['place']>();
  #ended = false;
  #first: string | null = null;

  /** The first of them; null where none was refused. */
  get refused(): RefusedMemory | null {
    if (!this.#ended) return null;
    const place = this.#places.get(this.#first ?? '') ?? {};
    return { name: this.#first?.replace(/^user\.user\./, '') ?? null, place };
  }

  /** Takes a line of Yosys, and says what of it belongs into the log: how memories are looked for is no finding. */
  hear(line: string): string {
    const [, file, row, column] = /^ {2}\(\* src="([^":|]+):(\d+)\.(\d+)/.exec(line) ?? [];
    if (file !== undefined && /^[^\s(]/.test(this.#last))
      this.#places.set(this.#last, { file: reportedName(file), line: Number(row), column: Number(column) });
    if (!line.startsWith('  (*')) this.#last = line.trim();
    if (/Assertion failed: selection is not empty/.test(line)) {
      this.#ended = true;
      return IN_LOG;
    }
    // It lists what it has found, one object a line.
    if (this.#ended && this.#first === null && line.includes('/'))
      this.#first = line.trim().replace(/^.*\//, '');
    return line;
  }
}
