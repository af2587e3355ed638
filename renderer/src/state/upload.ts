import type { DesignFile } from './design-file.ts';

/** Bytes of a project from which on it is sent as an archive: HDL shrinks to a fifth, and more of it may be sent so. */
const PACKED_FROM = 256 << 10;

/** What a submit and a scan send under `file`: the one file, or all of a project. What packs a large one is loaded when it is needed. */
export async function uploadOf(files: readonly DesignFile[]): Promise<DesignFile | readonly DesignFile[]> {
  const [first, ...others] = files;
  if (!first || others.length === 0) return first ?? files;
  if (files.reduce((sum, { contents }) => sum + contents.length, 0) < PACKED_FROM) return files;
  const { packProject } = await import('./project-archive.ts');
  const name = first.name.replace(/^.*\/|\.[^.]*$/g, '');
  return { name: `${name}.zip`, contents: packProject(files) };
}
