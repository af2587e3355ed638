import type { AssignmentStore, Assignments } from '../../../server/boards/assignments.ts';

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
