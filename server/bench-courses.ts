import { randomUUID } from 'node:crypto';
import type { Foundation } from './bench-parts.ts';
import type { Board } from './boards/board.ts';
import { type Clock, every } from './clock.ts';
import { NODE_COUNT } from './contract/boards/node-count.ts';
import { Assignments } from './courses/assignments/assignments.ts';
import { HandIns } from './courses/assignments/hand-ins.ts';
import { areStoredAssignments, type StoredAssignment } from './courses/assignments/records.ts';
import { StoredHandIns } from './courses/assignments/stored-hand-ins.ts';
import { Courses } from './courses/courses.ts';
import { areStoredCourses } from './courses/records.ts';
import { CourseShares } from './courses/shares/course-shares.ts';
import { giveBackSessions } from './courses/shares/give-back.ts';
import { isStoredUse, Ledger, NO_USE } from './courses/shares/ledger.ts';
import type { Designs } from './designs/designs.ts';
import type { ApiKeys } from './identity/keys.ts';
import type { NodePool } from './jobs/node-pool.ts';
import type { Logger } from './log.ts';
import type { Toolchain } from './toolchain/toolchain.ts';

/** Interval of checks for courses whose term has ended, ms. */
const TERMS_MS = 60_000;

interface CourseParts extends Foundation {
  keys: ApiKeys;
  designs: Designs;
  toolchain: Toolchain;
  /** The board on which one hand-in is checked; default a virtual board in no slot. */
  gradingBoard: (() => Promise<Board>) | undefined;
}

/**
 * The courses of a bench and their shares, which the node pool asks, from disk. `connect` opens the assignments with
 * the pool that was made with these shares. Keys of courses whose term is over are revoked.
 */
export async function openCourses(parts: CourseParts) {
  const { store, events, clock, logger, keys, designs, toolchain } = parts;
  let pool: NodePool | undefined;
  const courses = new Courses({
    document: await store.document('courses', [], areStoredCourses),
    keys,
    events,
    clock,
    isUser: (username) =>
      keys.list().some((key) => key.username === username) ||
      designs.hasOwner(username) ||
      (pool?.allJobs({ owner: username, limit: 1 }).length ?? 0) > 0,
  });
  const ledger = new Ledger(await store.document('course-times', NO_USE, isStoredUse), clock);
  const shares = new CourseShares(() => courses.open, ledger, clock);
  const endTerms = () =>
    courses.endTerms().catch((error) => {
      logger.warn({ err: error }, 'The keys of a course whose term is over could not be revoked yet.');
    });
  await endTerms();
  return {
    courses,
    shares,
    async connect(made: NodePool) {
      pool = made;
      const document = await store.document<StoredAssignment[]>('assignments', [], areStoredAssignments);
      const ids = document.value.map(({ assignment_id }) => assignment_id);
      const stored = await StoredHandIns.open(store.assignmentFiles, ids, (file) => {
        store.noteDamage(file, 'cannot be read; the bench continues without it').catch((error) => {
          logger.warn({ err: error }, 'A damaged hand-in could not be set aside.');
        });
      });
      const announce = (courseId: string) => courses.announce(courseId);
      const shared = { stored, announce, space: store.space, clock, newId: randomUUID };
      const assignments = new Assignments({ ...shared, document, designs });
      const createBoard = parts.gradingBoard ?? (() => gradingBoard(logger, clock));
      const grading = { toolchain, createBoard, clock };
      const handIns = new HandIns({ ...shared, assignments, pool: made, grading, logger });
      const stop = [
        every(clock, TERMS_MS, () => void endTerms()),
        giveBackSessions({ pool: made, shares, clock, logger }),
      ];
      return {
        assignments,
        handIns,
        async close() {
          for (const end of stop) end();
          await handIns.close();
        },
      };
    },
  };
}

/** A virtual board in no slot. */
async function gradingBoard(logger: Logger, clock: Clock): Promise<Board> {
  const [{ loadCatalogue, VIRTUAL_BOARD }, { createVirtualBoard }] = await Promise.all([
    import('./boards/catalogue/index.ts'),
    import('./boards/virtual/virtual-board.ts'),
  ]);
  const definition = loadCatalogue().get(VIRTUAL_BOARD);
  if (!definition) throw new Error(`The catalogue has no ${VIRTUAL_BOARD}.`);
  return createVirtualBoard(NODE_COUNT, definition, { logger, clock });
}
