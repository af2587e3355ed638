import type { Clock } from '../../clock.ts';
import type { HandIn } from '../../contract/courses/assignments.ts';
import { authError } from '../../errors/auth.ts';
import { coursesError } from '../../errors/courses.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { NodePool } from '../../jobs/pool.ts';
import type { Logger } from '../../log.ts';
import { KeyedQueue } from '../../store/keyed-queue.ts';
import type { DiskSpace } from '../../store/space.ts';
import type { CourseCaller } from '../directory.ts';
import { type GradingParts, gradeSource } from './grade-source.ts';
import { GradingQueue } from './grading-queue.ts';
import type { HandIns } from './hand-ins.ts';
import type { StoredAssignment, StoredHandIn } from './records.ts';
import { resultsCsv, resultsJunit, resultsOf } from './results.ts';
import { countingOf, pointsOf, requireMayHandIn } from './rules.ts';
import type { Access, StoredAssignments } from './stored-assignments.ts';
import { checkFor, handInView } from './views.ts';

/** Pause before a grade that could not be stored is made again, ms. */
const STORE_PAUSE_MS = 10_000;

interface CourseHandInsOptions {
  assignments: StoredAssignments;
  handIns: HandIns;
  pool: Pick<NodePool, 'findJob' | 'source'>;
  space: Pick<DiskSpace, 'demand'>;
  grading: GradingParts;
  clock: Clock;
  newId: () => string;
  logger: Logger;
}

/** Hand-ins and grades as members and teachers use them. */
export class CourseHandIns {
  readonly #options: CourseHandInsOptions;
  readonly #assignments: StoredAssignments;
  readonly #handIns: HandIns;
  readonly #grading: GradingQueue;
  /** One hand-in of a member at a time: two requests at once are one, and attempts are counted right. */
  readonly #turns = new KeyedQueue();

  /** Grades what waits for a grade since before the start. */
  constructor(options: CourseHandInsOptions) {
    this.#options = options;
    this.#assignments = options.assignments;
    this.#handIns = options.handIns;
    this.#grading = new GradingQueue({
      perform: (id, signal) => this.#grade(id, signal),
      onChange: (id) => this.#announce(id),
      logger: options.logger,
    });
    for (const id of options.handIns.pending()) this.#grading.add(id);
  }

  /** Ends grading; what was not graded is graded after the next start. */
  close(): Promise<void> {
    return this.#grading.close();
  }

  /**
   * Hands a build in, ended or not. A build that is handed in already gives the same hand-in.
   * @param at moment of the request, ms since the epoch
   * @throws as the contract of handIn says.
   */
  handIn(courseId: string, id: string, caller: CourseCaller, jobId: string, at: number): Promise<HandIn> {
    const access = this.#assignments.access(courseId, caller);
    const { assignment_id } = this.#assignments.require(access, id);
    return this.#turns.run(`${assignment_id} ${access.username}`, async () => {
      const assignment = this.#assignments.require(access, id);
      const own = this.#handIns.of(assignment_id).filter(({ username }) => username === access.username);
      const added =
        own.find(({ job_id }) => job_id === jobId.toLowerCase()) ??
        (await this.#add(assignment, access, jobId.toLowerCase(), { at, own }));
      return this.#views([added], access)[0] as HandIn;
    });
  }

  async #add(
    assignment: StoredAssignment,
    { courseId, username }: Access,
    jobId: string,
    { at, own }: { at: number; own: readonly StoredHandIn[] },
  ): Promise<StoredHandIn> {
    const { pool, newId, space } = this.#options;
    const { directory } = this.#assignments;
    const { assignment_id } = assignment;
    const name = this.#assignments.nameOf(courseId, username);
    if (name === null) throw coursesError('not_course_member');
    const attempt = 1 + Math.max(0, ...own.map((one) => one.attempt));
    requireMayHandIn(assignment, { closed: directory.isClosed(courseId), at, earlier: attempt - 1 });
    const { owner, submit, fpga_id } = pool.findJob(jobId);
    if (owner !== username)
      throw authError('not_session_holder', {
        message: 'This build is another user’s.',
        remedy: 'Submit the design yourself and hand in that build.',
      });
    if (!submit) throw jobsError('no_source', { jobId });
    space.demand();
    const { filename, source } = await pool.source(fpga_id, jobId);
    const record = {
      hand_in_id: newId(),
      ...{ assignment_id, username, name, attempt, filename },
      at: new Date(at).toISOString(),
      bytes: source.byteLength,
      options: submit.options,
      job_id: jobId,
      pending: true,
      grade: null,
    };
    const added = await this.#handIns.add(record, source);
    // The assignment may have been deleted meanwhile, with its files.
    if (!this.#assignments.find(assignment_id)) {
      await this.#handIns.removeAssignment(assignment_id);
      throw coursesError('assignment_not_found');
    }
    this.#grading.add(added.hand_in_id);
    directory.announce(courseId);
    return added;
  }

  /** Newest first: all for a teacher, the own ones for a student. @throws as the contract of listHandIns says. */
  list(courseId: string, id: string, caller: CourseCaller): HandIn[] {
    const access = this.#assignments.access(courseId, caller);
    return this.#views(this.#visible(access, this.#assignments.require(access, id)), access).reverse();
  }

  /** @throws as the contract of getHandInSource says. */
  async source(
    courseId: string,
    id: string,
    handInId: string,
    caller: CourseCaller,
  ): Promise<{ filename: string; source: Buffer }> {
    const access = this.#assignments.access(courseId, caller);
    const handIn = this.#require(this.#assignments.require(access, id), handInId);
    if (access.role !== 'teacher' && handIn.username !== access.username)
      throw coursesError('not_course_teacher');
    const source = await this.#handIns.source(handIn);
    if (!source) throw coursesError('hand_in_not_found');
    return { filename: handIn.filename, source };
  }

  /**
   * Grades again: these hand-ins, or the one that counts of each member.
   * @returns how many wait @throws as the contract of gradeHandIns says.
   */
  async gradeAgain(
    courseId: string,
    id: string,
    caller: CourseCaller,
    ids?: readonly string[],
  ): Promise<number> {
    const assignment = this.#assignments.require(this.#assignments.teacher(courseId, caller), id);
    const { assignment_id } = assignment;
    const chosen = new Set(
      ids?.map((one) => this.#require(assignment, one)) ??
        countingOf(this.#handIns.of(assignment_id)).values(),
    );
    for (const { hand_in_id } of chosen) {
      // In line first: a grade that is made meanwhile then leaves the mark in place.
      this.#grading.add(hand_in_id);
      await this.#handIns.markPending(hand_in_id);
    }
    return chosen.size;
  }

  /**
   * The hand-ins that count, as a file: of all students for a teacher, the own one for a student.
   * @throws as the contract of exportResults says.
   */
  results(courseId: string, id: string, caller: CourseCaller, format: 'csv' | 'xml'): string {
    const access = this.#assignments.access(courseId, caller);
    const assignment = this.#assignments.require(access, id);
    const members = this.#assignments.directory.members(courseId);
    const teacher = access.role === 'teacher';
    const shown = teacher ? members : members.filter(({ username }) => username === access.username);
    const teachers = this.#assignments.teachersOf(courseId);
    const handIns = this.#views(this.#visible(access, assignment), access);
    const results = resultsOf(
      shown,
      handIns.filter(({ username }) => !teachers.has(username)),
    );
    return format === 'csv'
      ? resultsCsv(checkFor(assignment, access.role), results)
      : resultsJunit(assignment.title, results);
  }

  /** All that is stored about a member, as the member may see it: hand-ins by assignment, and sources by path. */
  async exportOf(
    courseId: string,
    username: string,
  ): Promise<{ data: unknown; files: Record<string, Uint8Array> }> {
    const access: Access = { courseId, username, role: 'student' };
    const data: unknown[] = [];
    const files: Record<string, Uint8Array> = {};
    for (const assignment of this.#assignments.of(courseId)) {
      const { assignment_id, title } = assignment;
      const own = this.#visible(access, assignment);
      if (own.length > 0) data.push({ assignment_id, title, hand_ins: this.#views(own, access) });
      for (const handIn of own) {
        const source = await this.#handIns.source(handIn);
        if (source) files[`hand-ins/${assignment_id}/${handIn.attempt}/${handIn.filename}`] = source;
      }
    }
    return { data, files };
  }

  /** Removes a member's hand-ins and grades. @throws store_unavailable. */
  async erase(courseId: string, username: string): Promise<void> {
    for (const { assignment_id, template } of this.#assignments.of(courseId)) {
      const own = this.#handIns.of(assignment_id).filter((one) => one.username === username);
      for (const { hand_in_id } of own) this.#grading.drop(hand_in_id);
      await this.#handIns.remove(own, template ? [template.source, template.map, template.panel] : []);
    }
  }

  /** Removes the hand-ins of an assignment with all of its files. @throws store_unavailable. */
  async removeAssignment(assignmentId: string): Promise<void> {
    for (const { hand_in_id } of this.#handIns.of(assignmentId)) this.#grading.drop(hand_in_id);
    await this.#handIns.removeAssignment(assignmentId);
  }

  async #grade(id: string, signal: AbortSignal): Promise<void> {
    const { clock, grading } = this.#options;
    const handIn = this.#handIns.find(id);
    const assignment = handIn && this.#assignments.find(handIn.assignment_id);
    if (!handIn || !assignment) return;
    const source = await this.#handIns.source(handIn);
    const { filename, options } = handIn;
    const grade = await gradeSource({ filename, source, options }, assignment.check, grading, signal);
    try {
      await this.#handIns.setGrade(id, grade, () => this.#grading.isWaiting(id));
    } catch (error) {
      clock.after(STORE_PAUSE_MS, () => this.#grading.add(id));
      throw error;
    }
  }

  #announce(id: string): void {
    const assignment = this.#assignments.find(this.#handIns.find(id)?.assignment_id ?? '');
    if (assignment) this.#assignments.directory.announce(assignment.course_id);
  }

  #require({ assignment_id }: StoredAssignment, id: string): StoredHandIn {
    const found = this.#handIns.find(id.toLowerCase());
    if (found?.assignment_id !== assignment_id) throw coursesError('hand_in_not_found');
    return found;
  }

  /** Oldest first. */
  #visible({ role, username }: Access, { assignment_id }: StoredAssignment): StoredHandIn[] {
    const all = this.#handIns.of(assignment_id);
    return role === 'teacher' ? all : all.filter((one) => one.username === username);
  }

  /** Hand-ins of one assignment as the caller may see them. */
  #views(handIns: readonly StoredHandIn[], { courseId, role }: Access): HandIn[] {
    const assignmentId = handIns[0]?.assignment_id ?? '';
    const counting = countingOf(this.#handIns.of(assignmentId));
    const members = this.#assignments.directory.members(courseId);
    const names = new Map(members.map(({ username, name }) => [username, name]));
    const of = pointsOf(this.#assignments.find(assignmentId)?.check ?? []);
    return handIns.map((one) =>
      handInView(one, {
        role,
        name: names.get(one.username) ?? one.name,
        counts: counting.get(one.username)?.hand_in_id === one.hand_in_id,
        running: this.#grading.isRunning(one.hand_in_id),
        of,
      }),
    );
  }
}
