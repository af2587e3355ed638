import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** The board assigned to a slot, by the board's identity and never by a device name of the system. */
const AssignmentSchema = Type.Object({
  /** `usb:<serial>` or `port:<path>`. */
  board: Type.String({ pattern: '^(usb|port):.+$' }),
  /** Id in the catalogue. */
  definition: Type.String(),
  /** Target of the programmer; default is the first mode of the definition. */
  mode: Type.Optional(Type.Union([Type.Literal('sram'), Type.Literal('flash')])),
});

/** Slot number, 0 to 9, as text → its assignment; any other slot has its virtual board. */
const AssignmentsSchema = Type.Record(Type.String({ pattern: '^[0-9]$' }), AssignmentSchema, {
  additionalProperties: false,
});

export type Assignment = Static<typeof AssignmentSchema>;
export type Assignments = Record<string, Assignment>;

/** Storage of assignments: a document of the store. `write` resolves when they are on disk. */
export interface AssignmentStore {
  readonly value: Assignments;
  write(assignments: Assignments): Promise<void>;
}

/** Checks a document from disk: true when every entry has the form of an assignment. */
export const isAssignments = (value: unknown): value is Assignments => Value.Check(AssignmentsSchema, value);
