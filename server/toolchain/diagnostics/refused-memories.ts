import type { Diagnostic } from '../../contract/diagnostics.ts';
import { reportedName } from '../tool-paths.ts';

/** Log line in place of Yosys's failed condition. */
const IN_LOG = 'a memory fits neither block RAM nor registers';

/**
 * Yosys commands that fail when a condition holds for a memory of the design; they print such memories first, with places. A
 * condition is a selection from `@memories`, or from `@written`, which has no tables.
 */
export const refuseMemories = (conditions: readonly string[]): string[] => [
  'select -set memories t:$mem_v2',
  'select -set written @memories r:WR_PORTS>0 %i',
  `select -set refused ${conditions.join(' ')}`,
  'printattrs @refused',
  'select -assert-none @refused',
];

/** A memory for which Yosys was ended. */
export interface RefusedMemory {
  /** Its name in the source; null when Yosys does not print it. */
  name: string | null;
  /** Place of its declaration, if known. */
  place: Pick<Diagnostic, 'file' | 'line' | 'column'>;
}

/** Reads the output of refuseMemories' commands. */
export class RefusedMemories {
  #last = '';
  readonly #places = new Map<string, RefusedMemory['place']>();
  #ended = false;
  #first: string | null = null;

  /** The first refused memory; null when there is none. */
  get refused(): RefusedMemory | null {
    if (!this.#ended) return null;
    const place = this.#places.get(this.#first ?? '') ?? {};
    return { name: this.#first?.replace(/^user\.user\./, '') ?? null, place };
  }

  /** Takes a line of Yosys and returns the line for the log. */
  read(line: string): string {
    const [, file, row, column] = /^ {2}\(\* src="([^":|]+):(\d+)\.(\d+)/.exec(line) ?? [];
    if (file !== undefined && /^[^\s(]/.test(this.#last))
      this.#places.set(this.#last, { file: reportedName(file), line: Number(row), column: Number(column) });
    if (!line.startsWith('  (*')) this.#last = line.trim();
    if (/Assertion failed: selection is not empty/.test(line)) {
      this.#ended = true;
      return IN_LOG;
    }
    // Yosys lists the selection, one object a line.
    if (this.#ended && this.#first === null && line.includes('/'))
      this.#first = line.trim().replace(/^.*\//, '');
    return line;
  }
}
