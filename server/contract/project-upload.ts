import type { UploadedFile } from './designs.ts';

/** Bytes of a project from which on it is sent as an archive: HDL shrinks to a fifth, and more of it may be sent so. */
const PACKED_FROM = 256 << 10;

const encoder = new TextEncoder();
const bytesOf = ({ contents }: UploadedFile): Uint8Array =>
  typeof contents === 'string' ? encoder.encode(contents) : contents;

/** Packs files by their paths into a zip archive. */
type Zip = (files: Record<string, Uint8Array>) => Promise<Uint8Array>;

/** What a submit and a scan send under `file`: the one file, or all of a project, a large one as an archive. */
export async function uploadOf(
  files: readonly UploadedFile[],
  zip: Zip,
): Promise<UploadedFile | readonly UploadedFile[]> {
  const [first, ...others] = files;
  if (!first || others.length === 0) return first ?? files;
  if (files.reduce((sum, file) => sum + bytesOf(file).length, 0) < PACKED_FROM) return files;
  const name = first.name.replace(/^.*\/|\.[^.]*$/g, '');
  const contents = await zip(Object.fromEntries(files.map((file) => [file.name, bytesOf(file)])));
  return { name: `${name}.zip`, contents };
}
