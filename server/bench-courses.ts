import { randomBytes, randomUUID } from 'node:crypto';
import type { Foundation } from './bench-parts.ts';
import type { Board } from './boards/board.ts';
import { type Clock, every } from './clock.ts';
import { NODE_COUNT } from './contract/boards/node-count.ts';
import { CourseAssignments } from './courses/assignments/course-assignments.ts';
import { Courses } from './courses/courses.ts';
import { areStoredCourses } from './courses/records.ts';
import type { Designs } from './designs/designs.ts';
import type { ApiKeys } from './identity/keys.ts';
import type { NodePool } from './jobs/pool.ts';
import type { Logger } from './log.ts';
import type { Toolchain } from './toolchain/toolchain.ts';

/** Interval of checks for courses whose term has ended, ms. */
const TERMS_MS = 60_000;

interface CourseParts extends Foundation {
  keys: ApiKeys;
  pool: NodePool;
  designs: Designs;
  toolchain: Toolchain;
  /** The board on which one hand-in is checked; default a virtual board in no slot. */
  gradingBoard: (() => Promise<Board>) | undefined;
}

/** The courses of a bench with their assignments. */
export async function openCourses({
  store,
  events,
  clock,
  logger,
  keys,
  pool,
  designs,
  toolchain,
  gradingBoard: createBoard = () => gradingBoard(logger, clock),
}: CourseParts): Promise<{ courses: Courses; assignments: CourseAssignments; close(): Promise<void> }> {
  const courses = new Courses({
    document: await store.document('courses', [], areStoredCourses),
    keys,
    events,
    clock,
    random: randomBytes,
    isUser: (username) =>
      keys.list().some((key) => key.username === username) ||
      designs.hasOwner(username) ||
      pool.allJobs({ owner: username, limit: 1 }).length > 0,
  });
  const endTerms = () =>
    courses.endTerms().catch((error) => {
      logger.warn({ err: error }, 'The keys of a course whose term is over could not be revoked yet.');
    });
  await endTerms();
  const stop = every(clock, TERMS_MS, () => void endTerms());
  const assignments = await CourseAssignments.open({
    ...{ store, designs, pool, clock, logger },
    directory: courses,
    grading: { toolchain, createBoard, clock },
    newId: randomUUID,
  });
  courses.connect({ work: assignments });
  return {
    courses,
    assignments,
    async close() {
      stop();
      await assignments.close();
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
