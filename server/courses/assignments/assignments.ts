import type { Clock } from '../../clock.ts';
import {
  type AssignmentChange,
  type AssignmentRequest,
  type AssignmentView,
  MAX_ASSIGNMENTS,
} from '../../contract/courses/assignments.ts';
import { coursesError } from '../../errors/courses.ts';
import type { StoredDocument } from '../../store/document.ts';
import type { DiskSpace } from '../../store/space.ts';
import type { Access } from '../courses.ts';
import type { AssignmentAccess, StoredAssignment } from './records.ts';
import type { StoredHandIns } from './stored-hand-ins.ts';
import type { Templates } from './template.ts';
import { assignmentView } from './views.ts';

/** What assignments and hand-ins share. */
export interface Coursework {
  stored: StoredHandIns;
  announce(courseId: string): void;
  space: Pick<DiskSpace, 'demand'>;
  clock: Clock;
  newId: () => string;
}

interface AssignmentsOptions extends Coursework {
  document: StoredDocument<StoredAssignment[]>;
  templates: Templates;
}

/** The assignments of all courses. */
export class Assignments {
  readonly #options: AssignmentsOptions;

  constructor(options: AssignmentsOptions) {
    this.#options = options;
  }

  get #all(): readonly StoredAssignment[] {
    return this.#options.document.value;
  }

  of(courseId: string): StoredAssignment[] {
    return this.#all.filter(({ course_id }) => course_id === courseId);
  }

  find(id: string): StoredAssignment | undefined {
    return this.#all.find(({ assignment_id }) => assignment_id === id);
  }

  /** @throws assignment_not_found, for a student also where it is not published. */
  at(access: Access, id: string): AssignmentAccess {
    const assignment = this.find(id.toLowerCase());
    const isVisible = assignment?.published || access.role === 'teacher';
    if (assignment?.course_id !== access.course.course_id || !isVisible)
      throw coursesError('assignment_not_found');
    return { ...access, assignment };
  }

  /** By deadline; a student sees published ones. */
  list(access: Access): AssignmentView[] {
    const none = '~';
    const order = ({ deadline, created_at }: StoredAssignment) => (deadline ?? none) + created_at;
    return this.of(access.course.course_id)
      .filter(({ published }) => published || access.role === 'teacher')
      .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      .map((assignment) => this.#view({ ...access, assignment }));
  }

  /** @param request checked, its deadline in UTC @throws as the contract of createAssignment says. */
  async create(access: Access, { template, ...request }: AssignmentRequest): Promise<AssignmentView> {
    const { clock, newId, space, document, templates } = this.#options;
    const { course_id } = access.course;
    if (this.of(course_id).length >= MAX_ASSIGNMENTS) throw coursesError('too_many_assignments');
    space.demand();
    const assignment_id = newId();
    const assignment: StoredAssignment = {
      assignment_id,
      course_id,
      ...{ text: '', deadline: null, attempts: null, published: true, check: [] },
      ...request,
      template: template ? await templates.copy(assignment_id, template) : null,
      created_at: new Date(clock.now()).toISOString(),
    };
    await document.write([...this.#all, assignment]);
    return this.#changed({ ...access, assignment });
  }

  /** @param change checked, its deadline in UTC @throws as the contract of changeAssignment says. */
  async change(access: AssignmentAccess, { template, ...change }: AssignmentChange): Promise<AssignmentView> {
    const { assignment_id: id } = access.assignment;
    const copied = template ? await this.#options.templates.copy(id, template) : null;
    // Another request may have changed it meanwhile.
    const { assignment: before } = this.at(access, id);
    const assignment = { ...before, ...change, ...(template !== undefined && { template: copied }) };
    await this.#options.document.write(this.#all.map((one) => (one === before ? assignment : one)));
    return this.#changed({ ...access, assignment });
  }

  /**
   * Removes assignments with their hand-ins. Files first: a crash in between leaves an assignment without hand-ins, not
   * names without an assignment.
   * @throws store_unavailable.
   */
  async remove(assignments: readonly StoredAssignment[]): Promise<void> {
    const { document, stored, announce } = this.#options;
    const ids = new Set(assignments.map(({ assignment_id }) => assignment_id));
    for (const id of ids) await stored.removeAssignment(id);
    await document.write(this.#all.filter(({ assignment_id: id }) => !ids.has(id)));
    for (const { course_id } of assignments.slice(0, 1)) announce(course_id);
  }

  #changed(access: AssignmentAccess): AssignmentView {
    this.#options.announce(access.course.course_id);
    return this.#view(access);
  }

  #view(access: AssignmentAccess): AssignmentView {
    const { clock, stored } = this.#options;
    return assignmentView(access, stored.of(access.assignment.assignment_id), clock.now());
  }
}
