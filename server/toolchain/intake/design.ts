import { createHash } from 'node:crypto';
import type { BuildRequest } from '../build-request.ts';
import { isArchive } from './archive.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { isProjectName, projectDigest, unpackProject } from './project.ts';
import { prepareProject } from './project-sources.ts';
import { prepareSource } from './source.ts';

/**
 * Prepares an upload for the tools: one file, or the archive of a project.
 * @param sourceLimit bytes of one file
 * @returns also the SHA-256 of the whole design, 64 hex digits
 * @throws design_too_large, design_empty, design_binary, design_language, project_archive
 */
export async function prepareDesign(
  { source, filename }: Pick<BuildRequest, 'source' | 'filename'>,
  sourceLimit?: number,
): Promise<{ design: PreparedDesign; digest: string }> {
  if (!isProjectName(filename) || !isArchive(source))
    return {
      design: prepareSource(source, filename, sourceLimit),
      digest: createHash('sha256').update(source).digest('hex'),
    };
  const files = await unpackProject(source);
  return { design: prepareProject(files), digest: projectDigest(files) };
}
