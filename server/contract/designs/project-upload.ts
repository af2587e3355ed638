/** A file of a design by its path, as it is sent. */
interface FileToSend {
  name: string;
  contents: Uint8Array;
}

/** Bytes of a project from which on it is sent as an archive: HDL shrinks to a fifth, and more of it may be sent so. */
const PACKED_FROM = 256 << 10;

/**
 * What a submit and a scan send under `file`: the one file, or all of a project, a large one as an archive.
 * @param zip packs files by their paths
 */
export async function uploadOf(
  files: readonly FileToSend[],
  zip: (files: Record<string, Uint8Array>) => Promise<Uint8Array>,
): Promise<FileToSend | readonly FileToSend[]> {
  const [first, ...others] = files;
  if (!first || others.length === 0) return first ?? files;
  if (files.reduce((sum, { contents }) => sum + contents.length, 0) < PACKED_FROM) return files;
  const name = first.name.replace(/^.*\/|\.[^.]*$/g, '');
  const contents = await zip(Object.fromEntries(files.map((file) => [file.name, file.contents])));
  return { name: `${name}.zip`, contents };
}
