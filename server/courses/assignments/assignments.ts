import type { Clock } from '../../clock.ts';
import {
  type AssignmentChange,
  type AssignmentRequest,
  type AssignmentView,
  MAX_ASSIGNMENTS,
  type StartedAssignment,
} from '../../contract/courses/assignments.ts';
import type { Designs } from '../../designs/designs.ts';
import { parseDocument } from '../../designs/documents.ts';
import { coursesError } from '../../errors/courses.ts';
import { designsError } from '../../errors/designs.ts';
import { designIdOf } from '../../jobs/design-id.ts';
import type { StoredDocument } from '../../store/document.ts';
import type { DiskSpace } from '../../store/space.ts';
import type { Access } from '../courses.ts';
import type { AssignmentAccess, StoredAssignment, StoredTemplate } from './records.ts';
import type { StoredHandIns } from './stored-hand-ins.ts';
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
  designs: Designs;
}

/** A file with its name. */
export interface NamedFile {
  filename: string;
  source: Buffer;
}

/** What a template has besides its source. */
const DOCUMENTS = ['map', 'panel'] as const;

/** The assignments of all courses, with copies of the designs that they start from. */
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
    const { clock, newId, space, document } = this.#options;
    const { course_id } = access.course;
    if (this.of(course_id).length >= MAX_ASSIGNMENTS) throw coursesError('too_many_assignments');
    space.demand();
    const assignment_id = newId();
    const assignment: StoredAssignment = {
      assignment_id,
      course_id,
      ...{ text: '', deadline: null, attempts: null, published: true, check: [] },
      ...request,
      template: template ? await this.#copy(assignment_id, template) : null,
      created_at: new Date(clock.now()).toISOString(),
    };
    await document.write([...this.#all, assignment]);
    return this.#changed({ ...access, assignment });
  }

  /** @param change checked, its deadline in UTC @throws as the contract of changeAssignment says. */
  async change(access: AssignmentAccess, { template, ...change }: AssignmentChange): Promise<AssignmentView> {
    const { assignment_id: id } = access.assignment;
    const copied = template ? await this.#copy(id, template) : null;
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

  /** The file to start from. @throws no_template. */
  async template({ assignment_id, template }: StoredAssignment): Promise<NamedFile> {
    const source = template && (await this.#options.stored.files.readSource(assignment_id, template.source));
    if (!source) throw coursesError('no_template');
    return { filename: template.filename, source };
  }

  /**
   * Gives the caller's design of the template's file name the map and the panel, where it has none.
   * @throws no_template, store_unavailable, storage_low.
   */
  async start({ assignment, username }: AssignmentAccess): Promise<StartedAssignment> {
    const { designs, stored } = this.#options;
    const { assignment_id, template } = assignment;
    if (!template) throw coursesError('no_template');
    const { filename } = template;
    const opened = designs.open(username, filename);
    if (opened === null) return { design_id: designIdOf(username, filename), filename };
    for (const kind of DOCUMENTS) {
      const digest = template[kind];
      if (digest === null || (await designs.document(opened, kind)) !== null) continue;
      const text = await stored.files.readSource(assignment_id, digest);
      const document = text && parseDocument(kind, text.toString('utf8'));
      if (document) await designs.keep(opened, kind, document);
    }
    return { design_id: opened, filename };
  }

  /** Copies a version of a design. @throws design_not_found, version_not_found, store_unavailable. */
  async #copy(
    id: string,
    { design_id, job_id }: NonNullable<AssignmentRequest['template']>,
  ): Promise<StoredTemplate> {
    const { designs, stored } = this.#options;
    const newest = (await designs.get(design_id)).versions.find((one) => one.source_sha256 !== null);
    const version = job_id ?? newest?.job_id;
    if (version === undefined) throw designsError('version_not_found');
    const { filename, source } = await designs.source(design_id, version);
    const copyOf = async (kind: (typeof DOCUMENTS)[number]) => {
      const document = await designs.document(design_id, kind);
      return document && (await stored.files.writeSource(id, Buffer.from(JSON.stringify(document))));
    };
    const [map, panel] = [await copyOf('map'), await copyOf('panel')];
    return {
      filename,
      bytes: source.byteLength,
      source: await stored.files.writeSource(id, source),
      map,
      panel,
    };
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
