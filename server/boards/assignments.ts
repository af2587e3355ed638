import { Type } from 'typebox';
import { Value } from 'typebox/value';
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

/** What a document of assignments looks like: slots 0 to 9, boards by serial number or by USB port. */
const AssignmentsSchema = Type.Record(
  Type.String({ pattern: '^[0-9]$' }),
  Type.Object({
    board: Type.String({ pattern: '^(usb|port):.+$' }),
    definition: Type.String(),
    mode: Type.Optional(Type.Union([Type.Literal('sram'), Type.Literal('flash')])),
  }),
  { additionalProperties: false },
);

/** Checks a document that comes from disk: true when every entry has the form of an assignment. */
export const isAssignments = (value: unknown): value is Assignments => Value.Check(AssignmentsSchema, value);
