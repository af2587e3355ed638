import type { AssignmentRequest, StartedAssignment } from '../../contract/courses/assignments.ts';
import type { Designs } from '../../designs/designs.ts';
import { parseDocument } from '../../designs/documents.ts';
import { digestOf } from '../../designs/version.ts';
import { coursesError } from '../../errors/courses.ts';
import { designsError } from '../../errors/designs.ts';
import { designIdOf } from '../../jobs/design-id.ts';
import type { FolderFiles } from '../../store/index.ts';
import type { AssignmentAccess, StoredAssignment, StoredTemplate } from './records.ts';
import { readSource } from './stored-hand-ins.ts';

/** A file with its name. */
export interface NamedFile {
  filename: string;
  source: Buffer;
}

const DOCUMENTS = ['map', 'panel'] as const;

/** What assignments start from: copies of a design's source, register map and panel. */
export class Templates {
  readonly #files: FolderFiles;
  readonly #designs: Designs;

  constructor(files: FolderFiles, designs: Designs) {
    this.#files = files;
    this.#designs = designs;
  }

  /**
   * Copies a version of a design into the files of an assignment.
   * @throws design_not_found, version_not_found, store_unavailable.
   */
  async copy(
    assignmentId: string,
    { design_id, job_id }: NonNullable<AssignmentRequest['template']>,
  ): Promise<StoredTemplate> {
    const newest = (await this.#designs.get(design_id)).versions.find((one) => one.source_sha256 !== null);
    const version = job_id ?? newest?.job_id;
    if (version === undefined) throw designsError('version_not_found');
    const { filename, source } = await this.#designs.source(design_id, version);
    const store = async (bytes: Uint8Array): Promise<string> => {
      const digest = digestOf(bytes);
      await this.#files.writeSource(assignmentId, digest, bytes);
      return digest;
    };
    const stored: StoredTemplate = {
      filename,
      bytes: source.byteLength,
      source: await store(source),
      map: null,
      panel: null,
    };
    for (const kind of DOCUMENTS) {
      const document = await this.#designs.document(design_id, kind);
      if (document) stored[kind] = await store(Buffer.from(JSON.stringify(document)));
    }
    return stored;
  }

  /** The file to start from. @throws no_template. */
  async read({ assignment_id, template }: StoredAssignment): Promise<NamedFile> {
    const source = template && (await readSource(this.#files, assignment_id, template.source));
    if (!source) throw coursesError('no_template');
    return { filename: template.filename, source };
  }

  /**
   * Gives the caller's design of the template's file name the map and the panel, where it has none.
   * @throws no_template, store_unavailable, storage_low.
   */
  async start({ assignment, username }: AssignmentAccess): Promise<StartedAssignment> {
    const { assignment_id, template } = assignment;
    if (!template) throw coursesError('no_template');
    const { filename } = template;
    const opened = this.#designs.open(username, filename);
    if (opened === null) return { design_id: designIdOf(username, filename), filename };
    for (const kind of DOCUMENTS) {
      const digest = template[kind];
      if (digest === null || (await this.#designs.document(opened, kind)) !== null) continue;
      const text = await readSource(this.#files, assignment_id, digest);
      const document = text && parseDocument(kind, text.toString('utf8'));
      if (document) await this.#designs.keep(opened, kind, document);
    }
    return { design_id: opened, filename };
  }
}
