import type { AssignmentRequest, StartedAssignment } from '../../contract/courses/assignments.ts';
import type { Designs } from '../../designs/designs.ts';
import { parseDocument } from '../../designs/documents.ts';
import { digestOf } from '../../designs/version.ts';
import { coursesError } from '../../errors/courses.ts';
import { designsError } from '../../errors/designs.ts';
import { designIdOf } from '../../jobs/design-id.ts';
import type { FolderFiles } from '../../store/index.ts';
import type { StoredAssignment, StoredTemplate } from './records.ts';
import { readSource } from './stored-hand-ins.ts';

/** A file with its name. */
export interface NamedFile {
  filename: string;
  source: Buffer;
}

/**
 * Copies a version of a design with its register map and panel into the files of an assignment.
 * @throws design_not_found, version_not_found, store_unavailable.
 */
export async function copyTemplate(
  files: FolderFiles,
  designs: Designs,
  assignmentId: string,
  { design_id, job_id }: NonNullable<AssignmentRequest['template']>,
): Promise<StoredTemplate> {
  const newest = (await designs.get(design_id)).versions.find((one) => one.source_sha256 !== null);
  const version = job_id ?? newest?.job_id;
  if (version === undefined) throw designsError('version_not_found');
  const { filename, source } = await designs.source(design_id, version);
  const store = async (bytes: Uint8Array): Promise<string> => {
    const digest = digestOf(bytes);
    await files.writeSource(assignmentId, digest, bytes);
    return digest;
  };
  const copyOf = async (kind: 'map' | 'panel'): Promise<string | null> => {
    const document = await designs.document(design_id, kind);
    return document && (await store(Buffer.from(JSON.stringify(document))));
  };
  const stored = { source: await store(source), map: await copyOf('map'), panel: await copyOf('panel') };
  return { filename, bytes: source.byteLength, ...stored };
}

/** The file to start from. @throws no_template. */
export async function readTemplate(
  files: FolderFiles,
  { assignment_id, template }: StoredAssignment,
): Promise<NamedFile> {
  const source = template && (await readSource(files, assignment_id, template.source));
  if (!source) throw coursesError('no_template');
  return { filename: template.filename, source };
}

/**
 * Gives a user's design of the template's file name the map and the panel, where it has none.
 * @throws no_template, store_unavailable, storage_low.
 */
export async function startDesign(
  files: FolderFiles,
  designs: Designs,
  { assignment_id, template }: StoredAssignment,
  owner: string,
): Promise<StartedAssignment> {
  if (!template) throw coursesError('no_template');
  const { filename } = template;
  const opened = designs.open(owner, filename);
  for (const kind of opened === null ? [] : (['map', 'panel'] as const)) {
    const digest = template[kind];
    if (opened === null || digest === null || (await designs.document(opened, kind)) !== null) continue;
    const text = await readSource(files, assignment_id, digest);
    const document = text && parseDocument(kind, text.toString('utf8'));
    if (document) await designs.keep(opened, kind, document);
  }
  return { design_id: opened ?? designIdOf(owner, filename), filename };
}
