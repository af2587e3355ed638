import { type Check, checkOf, parseAs } from '../../contract/check.ts';
import type { AssignmentRequest } from '../../contract/courses/assignments.ts';
import { Panel } from '../../contract/designs/panel.ts';
import { RegisterMap } from '../../contract/designs/register-map.ts';
import type { Designs } from '../../designs/designs.ts';
import type { DocumentOf } from '../../designs/documents.ts';
import { digestOf } from '../../designs/version.ts';
import { coursesError } from '../../errors/courses.ts';
import { designsError } from '../../errors/designs.ts';
import { designIdOf } from '../../jobs/design-id.ts';
import type { FolderFiles } from '../../store/index.ts';
import { readSource } from './hand-ins.ts';
import type { StoredAssignment, StoredTemplate } from './records.ts';

/** Documents of a design that a template has. */
type Kind = 'map' | 'panel';
const CHECKS: { readonly [K in Kind]: Check<DocumentOf<K>> } = {
  map: checkOf(RegisterMap),
  panel: checkOf(Panel),
};

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
  const stored = async (bytes: Uint8Array): Promise<string> => {
    const digest = digestOf(bytes);
    await files.writeSource(assignmentId, digest, bytes);
    return digest;
  };
  const copyOf = async (kind: Kind): Promise<string | null> => {
    const document = await designs.document(design_id, kind);
    return document && (await stored(Buffer.from(JSON.stringify(document))));
  };
  return {
    filename,
    bytes: source.byteLength,
    source: await stored(source),
    map: await copyOf('map'),
    panel: await copyOf('panel'),
  };
}

/** The file to start from. @throws no_template. */
export async function readTemplate(
  files: FolderFiles,
  { assignment_id, template }: StoredAssignment,
): Promise<{ filename: string; source: Buffer }> {
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
): Promise<{ design_id: string; filename: string }> {
  if (!template) throw coursesError('no_template');
  const { filename } = template;
  const opened = designs.open(owner, filename);
  const give = async <K extends Kind>(id: string, kind: K): Promise<void> => {
    const digest = template[kind];
    if (digest === null || (await designs.document(id, kind)) !== null) return;
    const text = await readSource(files, assignment_id, digest);
    const document = text && parseAs<DocumentOf<K>>(text.toString('utf8'), CHECKS[kind]);
    if (document) await designs.keep(id, kind, document);
  };
  if (opened !== null) {
    await give(opened, 'map');
    await give(opened, 'panel');
  }
  return { design_id: opened ?? designIdOf(owner, filename), filename };
}
