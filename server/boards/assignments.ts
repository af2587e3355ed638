import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** Which board a slot is given, kept by the board's identity, never by a device name of the system. */
const AssignmentSchema = Type.Object({
  /** `usb:<serial>` or `port:<path>`. */
  board: Type.String({ pattern: '^(usb|port):.+$' }),
  /** Id in the catalogue. */
  definition: Type.String(),
  /** Where the programmer writes; the first mode of the definition when absent. */
  mode: Type.Optional(Type.Union([Type.Literal('sram'), Type.Literal('flash')])),
});

/** Slot number, 0 to 9, as text → its assignment; a slot that is not named has its virtual board. */
const AssignmentsSchema = Type.Record(Type.String({ pattern: '^[0-9]$' }), AssignmentSchema, {
  additionalProperties: false,
});

export type Assignment = Static<typeof AssignmentSchema>;
export type Assignments = Record<string, Assignment>;

/** Where assignments are kept between starts: a document of the store. `write` resolves when they are on disk. */
export interface AssignmentStore {
  readonly value: Assignments;
  write(assignments: Assignments): Promise<void>;
}

/** Checks a document that comes from disk: true when every entry has the form of an assignment. */
export const isAssignments = (value: unknown): value is Assignments => Value.Check(AssignmentsSchema, value);
