import type { Clock } from '../../clock.ts';
import {
  type AssignmentChange,
  type AssignmentRequest,
  type AssignmentView,
  MAX_ASSIGNMENTS,
} from '../../contract/courses/assignments.ts';
import type { Designs } from '../../designs/designs.ts';
import { coursesError } from '../../errors/courses.ts';
import type { NodePool } from '../../jobs/pool.ts';
import type { Logger } from '../../log.ts';
import type { FolderFiles, Store } from '../../store/index.ts';
import type { CourseCaller, CourseDirectory, CourseWork } from '../directory.ts';
import { CourseHandIns } from './course-hand-ins.ts';
import type { GradingParts } from './grade-source.ts';
import { HandIns } from './hand-ins.ts';
import { areStoredAssignments, type StoredAssignment } from './records.ts';
import { type Access, StoredAssignments } from './stored-assignments.ts';
import { copyTemplate, readTemplate, startDesign } from './template.ts';
import { assignmentView } from './views.ts';

interface CourseAssignmentsOptions {
  store: Pick<Store, 'document' | 'assignmentFiles' | 'noteDamage' | 'space'>;
  directory: CourseDirectory;
  designs: Designs;
  pool: Pick<NodePool, 'findJob' | 'source'>;
  grading: GradingParts;
  clock: Clock;
  newId: () => string;
  logger: Logger;
}

interface Parts {
  assignments: StoredAssignments;
  stored: HandIns;
  handIns: CourseHandIns;
}

/** The assignments of all courses as members and teachers use them. */
export class CourseAssignments implements CourseWork {
  readonly #options: CourseAssignmentsOptions;
  readonly #assignments: StoredAssignments;
  readonly #files: FolderFiles;
  readonly #stored: HandIns;
  readonly handIns: CourseHandIns;

  private constructor(options: CourseAssignmentsOptions, { assignments, stored, handIns }: Parts) {
    this.#options = options;
    this.#assignments = assignments;
    this.#files = options.store.assignmentFiles;
    this.#stored = stored;
    this.handIns = handIns;
  }

  /** Loads what is stored; hand-ins without a grade are graded. */
  static async open(options: CourseAssignmentsOptions): Promise<CourseAssignments> {
    const { store, directory, logger, ...rest } = options;
    const document = await store.document<StoredAssignment[]>('assignments', [], areStoredAssignments);
    const assignments = new StoredAssignments(document, directory);
    const stored = await HandIns.open(store.assignmentFiles, document.value, (file) => {
      store.noteDamage(file, 'cannot be read; the bench continues without it').catch((error) => {
        logger.warn({ err: error }, 'A damaged hand-in could not be set aside.');
      });
    });
    const handIns = new CourseHandIns({ ...rest, assignments, handIns: stored, space: store.space, logger });
    return new CourseAssignments(options, { assignments, stored, handIns });
  }

  /** Ends grading; what was not graded is graded after the next start. */
  close(): Promise<void> {
    return this.handIns.close();
  }

  /** By deadline; a student sees published ones. @throws course_not_found, not_course_member. */
  list(courseId: string, caller: CourseCaller): AssignmentView[] {
    const access = this.#assignments.access(courseId, caller);
    const none = '~';
    const order = ({ deadline, created_at }: StoredAssignment) => (deadline ?? none) + created_at;
    return this.#assignments
      .of(courseId)
      .filter(({ published }) => published || access.role === 'teacher')
      .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      .map((one) => this.#view(one, access));
  }

  /**
   * @param request checked, its deadline in UTC
   * @throws as the contract of createAssignment says.
   */
  async create(courseId: string, caller: CourseCaller, request: AssignmentRequest): Promise<AssignmentView> {
    const access = this.#assignments.teacher(courseId, caller);
    const { directory, clock, newId, store } = this.#options;
    if (directory.isClosed(courseId)) throw coursesError('course_closed');
    if (this.#assignments.of(courseId).length >= MAX_ASSIGNMENTS) throw coursesError('too_many_assignments');
    store.space.demand();
    const {
      template,
      title,
      text = '',
      deadline = null,
      attempts = null,
      published = true,
      check = [],
    } = request;
    const assignment_id = newId();
    const assignment: StoredAssignment = {
      assignment_id,
      course_id: courseId,
      ...{ title, text, deadline, attempts, published, check },
      template: template
        ? await copyTemplate(this.#files, this.#options.designs, assignment_id, template)
        : null,
      created_at: new Date(clock.now()).toISOString(),
    };
    await this.#assignments.add(assignment);
    directory.announce(courseId);
    return this.#view(assignment, access);
  }

  /** @param change checked, its deadline in UTC @throws as the contract of changeAssignment says. */
  async change(
    courseId: string,
    id: string,
    caller: CourseCaller,
    { template, ...change }: AssignmentChange,
  ): Promise<AssignmentView> {
    const access = this.#assignments.teacher(courseId, caller);
    const { assignment_id } = this.#assignments.require(access, id);
    const { designs, directory } = this.#options;
    const copied = template ? await copyTemplate(this.#files, designs, assignment_id, template) : null;
    const after: StoredAssignment = {
      // Another request may have changed it meanwhile.
      ...this.#assignments.require(access, id),
      ...change,
      ...(template === undefined ? {} : { template: copied }),
    };
    await this.#assignments.replace(after);
    directory.announce(courseId);
    return this.#view(after, access);
  }

  /** @throws as the contract of deleteAssignment says. */
  async remove(courseId: string, id: string, caller: CourseCaller): Promise<void> {
    await this.#remove([this.#assignments.require(this.#assignments.teacher(courseId, caller), id)]);
    this.#options.directory.announce(courseId);
  }

  /** The file to start from. @throws as the contract of getTemplate says. */
  template(
    courseId: string,
    id: string,
    caller: CourseCaller,
  ): Promise<{ filename: string; source: Buffer }> {
    const access = this.#assignments.access(courseId, caller);
    return readTemplate(this.#files, this.#assignments.require(access, id));
  }

  /** @throws as the contract of startAssignment says. */
  start(
    courseId: string,
    id: string,
    caller: CourseCaller,
  ): Promise<{ design_id: string; filename: string }> {
    const access = this.#assignments.access(courseId, caller);
    const assignment = this.#assignments.require(access, id);
    return startDesign(this.#files, this.#options.designs, assignment, access.username);
  }

  count(courseId: string): number {
    return this.#assignments.of(courseId).length;
  }

  exportOf(courseId: string, username: string) {
    return this.handIns.exportOf(courseId, username);
  }

  erase(courseId: string, username: string): Promise<void> {
    return this.handIns.erase(courseId, username);
  }

  removeCourse(courseId: string): Promise<void> {
    return this.#remove(this.#assignments.of(courseId));
  }

  /** Files first: a crash in between leaves an assignment without hand-ins, not names without an assignment. */
  async #remove(assignments: readonly StoredAssignment[]): Promise<void> {
    const ids = new Set(assignments.map(({ assignment_id }) => assignment_id));
    for (const id of ids) await this.handIns.removeAssignment(id);
    await this.#assignments.remove(ids);
  }

  #view(assignment: StoredAssignment, { courseId, username, role }: Access): AssignmentView {
    const { directory, clock } = this.#options;
    const viewer = { username, role, closed: directory.isClosed(courseId), now: clock.now() };
    const handIns = this.#stored.of(assignment.assignment_id);
    return assignmentView(assignment, handIns, viewer, this.#assignments.teachersOf(courseId));
  }
}
