import { randomBytes, randomUUID } from 'node:crypto';
import type { Foundation } from './bench-parts.ts';
import type { Board } from './boards/board.ts';
import { type Clock, every } from './clock.ts';
import { NODE_COUNT } from './contract/boards/node-count.ts';
import { CourseAssignments } from './courses/assignments/course-assignments.ts';
import { Courses, type ShareFacts } from './courses/courses.ts';
import { areStoredCourses } from './courses/records.ts';
import { CourseShares } from './courses/shares/course-shares.ts';
import { giveBackSessions } from './courses/shares/give-back.ts';
import { isStoredUse, Ledger, NO_USE } from './courses/shares/ledger.ts';
import type { Designs } from './designs/designs.ts';
import type { ApiKeys } from './identity/keys.ts';
import type { NodePool } from './jobs/pool.ts';
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

/** Courses and their shares, which the node pool asks. */
export interface OpenedCourses {
  courses: Courses;
  shares: CourseShares;
  /** Connects them with the pool that was made with these shares, and opens the assignments. */
  connect(pool: NodePool): Promise<{ assignments: CourseAssignments; close(): Promise<void> }>;
}

/** The courses of a bench, from disk. Keys of courses whose term is over are revoked. */
export async function openCourses({
  store,
  events,
  clock,
  logger,
  keys,
  designs,
  toolchain,
  gradingBoard: createBoard = () => gradingBoard(logger, clock),
}: CourseParts): Promise<OpenedCourses> {
  let pool: NodePool | undefined;
  const courses = new Courses({
    document: await store.document('courses', [], areStoredCourses),
    keys,
    events,
    clock,
    random: randomBytes,
    isUser: (username) =>
      keys.list().some((key) => key.username === username) ||
      designs.hasOwner(username) ||
      (pool?.allJobs({ owner: username, limit: 1 }).length ?? 0) > 0,
  });
  const ledger = new Ledger(await store.document('course-use', NO_USE, isStoredUse), clock);
  const shares = new CourseShares({ open: () => courses.open, ledger, clock });
  const endTerms = () =>
    courses.endTerms().catch((error) => {
      logger.warn({ err: error }, 'The keys of a course whose term is over could not be revoked yet.');
    });
  await endTerms();
  return {
    courses,
    shares,
    async connect(made) {
      pool = made;
      const assignments = await CourseAssignments.open({
        ...{ store, designs, pool: made, clock, logger },
        directory: courses,
        grading: { toolchain, createBoard, clock },
        newId: randomUUID,
      });
      courses.connect({ work: assignments, facts: shareFacts(courses, shares, ledger, made, clock) });
      const stop = [
        every(clock, TERMS_MS, () => void endTerms()),
        giveBackSessions({ pool: made, shares, ledger, clock, logger }),
      ];
      return {
        assignments,
        async close() {
          for (const end of stop) end();
          await assignments.close();
        },
      };
    },
  };
}

/** What views of a course show of its members' use of the bench. */
const shareFacts = (
  courses: Courses,
  shares: CourseShares,
  ledger: Ledger,
  pool: NodePool,
  clock: Clock,
): ShareFacts => ({
  usageOf: (username, timeZone) => shares.usageOf(username, timeZone, pool.use()),
  bookedNow: (courseId) => shares.bookedNow(courses.find(courseId)),
  lastAccess(username) {
    const held = pool.use().nodes.filter(({ holder }) => holder === username);
    if (held.length === 0) return null;
    return clock.now() - Math.min(...held.map(({ fpgaId }) => pool.idleMs(fpgaId)));
  },
  erase: (username) => ledger.erase(username),
});

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
