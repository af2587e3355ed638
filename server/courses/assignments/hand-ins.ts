import { strToU8 } from 'fflate';
import {
  type HandIn,
  type HandInFilter,
  MAX_ATTEMPTS,
  MAX_LISTED,
} from '../../contract/courses/assignments.ts';
import { resultsOf } from '../../contract/courses/results.ts';
import type { ShareUse } from '../../contract/courses/shares.ts';
import { authError } from '../../errors/auth.ts';
import { coursesError } from '../../errors/courses.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { NodePool } from '../../jobs/node-pool.ts';
import type { Logger } from '../../log.ts';
import { KeyedQueue } from '../../store/keyed-queue.ts';
import { zipOf } from '../../zip.ts';
import type { Access } from '../courses.ts';
import { membershipOf, presentMembers, type StoredMember } from '../records.ts';
import type { Assignments, Coursework, NamedFile } from './assignments.ts';
import { type GradingParts, gradeSource } from './grade-source.ts';
import type { AssignmentAccess, StoredAssignment, StoredHandIn } from './records.ts';
import { resultsCsv, resultsJunit } from './results.ts';
import type { StoredHandIns } from './stored-hand-ins.ts';
import { checkFor, countingOf, handInViews, isLate } from './views.ts';

/** Pause before a grade that could not be stored is made again, ms. */
const STORE_PAUSE_MS = 10_000;

interface HandInsOptions extends Coursework {
  assignments: Assignments;
  pool: Pick<NodePool, 'findJob' | 'source'>;
  grading: GradingParts;
  logger: Logger;
}

/** Hand-ins and grades as members and teachers use them. */
export class HandIns {
  readonly #options: HandInsOptions;
  readonly #stored: StoredHandIns;
  readonly #ending = new AbortController();
  /** One hand-in of a member at a time: two requests at once are one, and attempts are counted right. */
  readonly #turns = new KeyedQueue();
  /** The hand-in that is being graded. */
  #running: string | null = null;
  /** Those whose grade could not be stored a moment ago. */
  readonly #resting = new Set<string>();
  #grading = Promise.resolve();

  /** Grades what waits for a grade since before the start. */
  constructor(options: HandInsOptions) {
    this.#options = options;
    this.#stored = options.stored;
    this.#wake();
  }

  /** Ends grading; what was not graded is graded after the next start. */
  close(): Promise<void> {
    this.#ending.abort();
    return this.#grading;
  }

  /**
   * Hands a build in, ended or not. A build that is handed in already gives the same hand-in.
   * @param at moment of the request, ms since the epoch
   * @throws as the contract of handIn says.
   */
  handIn(access: AssignmentAccess, jobId: string, at: number): Promise<HandIn> {
    const { assignment_id } = access.assignment;
    return this.#turns.run(`${assignment_id} ${access.username}`, async () => {
      // It may have been changed or deleted meanwhile.
      const present = this.#options.assignments.at(access, assignment_id);
      const own = this.#views({ ...present, role: 'student' });
      const known = own.find(({ job_id }) => job_id === jobId.toLowerCase());
      const id = known?.hand_in_id ?? (await this.#add(present, jobId.toLowerCase(), at, own));
      return this.#views(present).find(({ hand_in_id }) => hand_in_id === id) as HandIn;
    });
  }

  async #add(access: AssignmentAccess, jobId: string, at: number, own: readonly HandIn[]): Promise<string> {
    const { pool, newId, space, announce, assignments } = this.#options;
    const { course, assignment, username, closed } = access;
    const { assignment_id, attempts } = assignment;
    const name = membershipOf(course, username)?.name;
    if (name === undefined) throw coursesError('not_course_member');
    if (closed) throw coursesError('course_closed');
    if (isLate(assignment, at)) throw coursesError('deadline_passed');
    const earlier = Math.max(0, ...own.map(({ attempt }) => attempt));
    if (earlier >= (attempts ?? MAX_ATTEMPTS)) throw coursesError('no_attempts_left');
    const { owner, submit, fpga_id } = pool.findJob(jobId);
    if (owner !== username)
      throw authError('not_session_holder', {
        message: 'This build is another user’s.',
        remedy: 'Submit the design yourself and hand in that build.',
      });
    if (!submit) throw jobsError('no_source', { jobId });
    space.demand();
    const { filename, source } = await pool.source(fpga_id, jobId);
    const hand_in_id = newId();
    const record = {
      ...{ hand_in_id, assignment_id, username, name, attempt: earlier + 1, filename },
      at: new Date(at).toISOString(),
      bytes: source.byteLength,
      source_sha256: await this.#stored.files.writeSource(assignment_id, source),
      options: submit.options,
      job_id: jobId,
      pending: true,
      grade: null,
    };
    await this.#stored.add(record);
    this.#wake();
    // The assignment may have been deleted meanwhile, with its files.
    if (!assignments.find(assignment_id)) {
      await this.#stored.removeAssignment(assignment_id);
      throw coursesError('assignment_not_found');
    }
    announce(course.course_id);
    return hand_in_id;
  }

  /** Newest first: all for a teacher, the own ones for a student. @throws hand_in_not_found. */
  list(access: AssignmentAccess, { username, counting, before, limit = MAX_LISTED }: HandInFilter): HandIn[] {
    const all = this.#views(access);
    const isEnd = ({ hand_in_id }: HandIn) => hand_in_id === before?.toLowerCase();
    const end = before === undefined ? all.length : all.findIndex(isEnd);
    if (end < 0) throw coursesError('hand_in_not_found');
    return all
      .slice(0, end)
      .filter((one) => (one.counts || !counting) && (username === undefined || one.username === username))
      .slice(-limit)
      .reverse();
  }

  /** @throws not_course_teacher, hand_in_not_found. */
  async source({ assignment, username, role }: AssignmentAccess, handInId: string): Promise<NamedFile> {
    const handIn = this.#require(assignment, handInId);
    if (role !== 'teacher' && handIn.username !== username) throw coursesError('not_course_teacher');
    const source = await this.#stored.files.readSource(assignment.assignment_id, handIn.source_sha256);
    if (!source) throw coursesError('hand_in_not_found');
    return { filename: handIn.filename, source };
  }

  /**
   * Grades again: these hand-ins, or the one that counts of each member.
   * @returns how many wait @throws hand_in_not_found, store_unavailable.
   */
  async gradeAgain({ assignment }: AssignmentAccess, ids?: readonly string[]): Promise<number> {
    const counting = countingOf(this.#stored.of(assignment.assignment_id));
    const chosen = new Set(ids?.map((one) => this.#require(assignment, one)) ?? counting.values());
    for (const { hand_in_id } of chosen) await this.#stored.change(hand_in_id, () => ({ pending: true }));
    this.#wake();
    return chosen.size;
  }

  /** The hand-ins that count, as a file: of all students for a teacher, the own one for a student. */
  results(access: AssignmentAccess, format: 'csv' | 'xml'): string {
    const { course, assignment, role, username } = access;
    const members = presentMembers(course).filter((one) => role === 'teacher' || one.username === username);
    const results = resultsOf(members, this.#views(access));
    return format === 'csv'
      ? resultsCsv(checkFor(assignment, role), results)
      : resultsJunit(assignment.title, results);
  }

  /**
   * All that a course stores about a member, as the member may see it: a zip file of `member.json` and the handed-in
   * sources.
   */
  async exportMember(access: Access, member: StoredMember, used: ShareUse): Promise<Buffer> {
    const { course_id, name } = access.course;
    const hand_ins: unknown[] = [];
    const sources: Record<string, Uint8Array> = {};
    for (const assignment of this.#options.assignments.of(course_id)) {
      const { assignment_id, title } = assignment;
      const own = this.#views({ ...access, username: member.username, role: 'student', assignment });
      if (own.length > 0) hand_ins.push({ assignment_id, title, hand_ins: own });
      for (const { attempt, filename, source_sha256 } of own) {
        const source = await this.#stored.files.readSource(assignment_id, source_sha256);
        if (source) sources[`hand-ins/${assignment_id}/${attempt}/${filename}`] = source;
      }
    }
    const record = { course_id, course: name, member, used, hand_ins };
    const json = strToU8(`${JSON.stringify(record, null, 2)}\n`);
    return await zipOf({ 'member.json': json, ...sources }, this.#options.clock.now());
  }

  /** Removes a member's hand-ins and grades. @throws store_unavailable. */
  async erase(courseId: string, username: string): Promise<void> {
    for (const { assignment_id, template } of this.#options.assignments.of(courseId)) {
      const own = this.#stored.of(assignment_id).filter((one) => one.username === username);
      await this.#stored.remove(own, template ? [template.source, template.map, template.panel] : []);
    }
  }

  #wake(): void {
    this.#grading = this.#grading.then(() => this.#gradePending());
  }

  /**
   * Grades what is pending, first what has no grade yet. One at a time: students’ builds have the rest of the machine.
   */
  async #gradePending(): Promise<void> {
    const { clock, assignments, announce, logger } = this.#options;
    const { signal } = this.#ending;
    for (;;) {
      const waiting = this.#stored.all.filter((one) => one.pending && !this.#resting.has(one.hand_in_id));
      const handIn = waiting.find(({ grade }) => grade === null) ?? waiting[0];
      const assignment = handIn && assignments.find(handIn.assignment_id);
      if (!assignment || signal.aborted) return;
      const id = handIn.hand_in_id;
      this.#running = id;
      announce(assignment.course_id);
      await this.#grade(handIn, assignment).catch((error) => {
        if (signal.aborted) return;
        logger.error({ err: error }, 'A hand-in could not be graded.');
        this.#resting.add(id);
        clock.after(STORE_PAUSE_MS, () => {
          this.#resting.delete(id);
          this.#wake();
        });
      });
      this.#running = null;
      announce(assignment.course_id);
    }
  }

  async #grade(handIn: StoredHandIn, { check }: StoredAssignment): Promise<void> {
    const { hand_in_id, assignment_id, source_sha256 } = handIn;
    const source = await this.#stored.files.readSource(assignment_id, source_sha256);
    const grade = await gradeSource(handIn, source, check, this.#options.grading, this.#ending.signal);
    // One that is to be graded again since stays pending.
    await this.#stored.change(hand_in_id, (now) => ({ grade, pending: now !== handIn }));
  }

  #require({ assignment_id }: StoredAssignment, id: string): StoredHandIn {
    const found = this.#stored.find(id.toLowerCase());
    if (found?.assignment_id !== assignment_id) throw coursesError('hand_in_not_found');
    return found;
  }

  /** What the caller may see, oldest first. */
  #views(access: AssignmentAccess): HandIn[] {
    const all = this.#stored.of(access.assignment.assignment_id);
    return handInViews(all, access, this.#running);
  }
}
