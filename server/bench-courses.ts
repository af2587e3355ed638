import { randomBytes } from 'node:crypto';
import type { Foundation } from './bench-parts.ts';
import { every } from './clock.ts';
import { Courses } from './courses/courses.ts';
import { areStoredCourses } from './courses/records.ts';
import type { Designs } from './designs/designs.ts';
import type { ApiKeys } from './identity/keys.ts';
import type { NodePool } from './jobs/pool.ts';

/** Interval of checks for courses whose term has ended, ms. */
const TERMS_MS = 60_000;

/** The courses of a bench. */
export async function openCourses({
  store,
  events,
  clock,
  logger,
  keys,
  pool,
  designs,
}: Foundation & { keys: ApiKeys; pool: NodePool; designs: Designs }): Promise<{
  courses: Courses;
  close(): void;
}> {
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
  return { courses, close: stop };
}
