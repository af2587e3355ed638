import { NODE_COUNT } from '../contract/boards.ts';
import type { ProgrammingMode } from './definition.ts';

/** Which board a slot is given, kept by the board's identity, never by a device name of the system. */
export interface Assignment {
  /** `usb:<serial>` or `port:<path>`. */
  board: string;
  /** Id in the catalogue. */
  definition: string;
  /** Where the programmer writes; the first mode of the definition when absent. */
  mode?: ProgrammingMode;
}

/** Slot number as text → its assignment; a slot that is not named has its virtual board. */
export type Assignments = Record<string, Assignment>;

/** Where assignments are kept between starts: a document of the store. `write` resolves when they are on disk. */
export interface AssignmentStore {
  readonly value: Assignments;
  write(assignments: Assignments): Promise<void>;
}

/** Keeps assignments for the life of the process only. */
export function memoryAssignments(initial: Assignments = {}): AssignmentStore {
  let kept = initial;
  return {
    get value() {
      return kept;
    },
    async write(assignments) {
      kept = assignments;
    },
  };
}

const BOARD_ID = /^(usb|port):.+$/;

/** Checks a document that comes from disk: true when every entry has the form of an assignment. */
export function isAssignments(value: unknown): value is Assignments {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([slot, entry]) => {
    if (!/^\d$/.test(slot) || Number(slot) >= NODE_COUNT) return false;
    if (typeof entry !== 'object' || entry === null) return false;
    const { board, definition, mode } = entry as Partial<Assignment>;
    return (
      typeof board === 'string' &&
      BOARD_ID.test(board) &&
      typeof definition === 'string' &&
      (mode === undefined || mode === 'sram' || mode === 'flash')
    );
  });
}
