/** A file of a design and its path. */
interface FileToSend {
  name: string;
  contents: Uint8Array;
}

/**
 * Size from which a project is sent as an archive, bytes: HDL shrinks to a fifth, and the limit for archives is higher.
 */
const PACKED_FROM = 256 << 10;

/**
 * The `file` field of a submit or a scan: one file, or the files of a project, packed if large.
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
