import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { MAX_PROJECT_FILES } from '../../contract/designs/project-files.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { withMarks } from '../../text.ts';

const inflate = promisify(inflateRaw);

// Source: PKWARE, ".ZIP File Format Specification" (APPNOTE.TXT) 6.3.10, sections 4.3 and 4.4.
const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const END_SIZE = 22;
const MAX_COMMENT_LENGTH = 0xffff;
const FLAG_ENCRYPTED = 0x2041; // encrypted, strongly encrypted, or with a masked directory
const FLAG_UTF8 = 0x0800;
const STORED = 0;
const DEFLATED = 8;
const MADE_ON_UNIX = 3;

/** File types in a Unix mode. */
const MODE_KIND = 0o170000;
const MODE_LINK = 0o120000;
const MODE_FILE = 0o100000;
const MODE_FOLDER = 0o040000;

/** Limit of entries, with folders and unused files: most files of a repository are neither source nor data. */
const MAX_ENTRIES = 10 * MAX_PROJECT_FILES;

/** A file of an archive, from the archive's directory. */
export interface ArchiveEntry {
  path: string;
  /** Unpacks the file. @throws project_too_large above `maxBytes`, whatever the archive says; project_archive */
  unpack(maxBytes: number): Promise<Buffer>;
  /** Packed size, bytes. */
  packed: number;
  /** It is a link: its contents are a path. */
  isLink: boolean;
}

const broken = (what: string) => toolchainError('project_archive', { message: `The archive ${what}.` });

/** A path in a sentence, quoted and printable. */
export const shown = (path: string): string =>
  `“${withMarks(path)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
    .slice(0, 120)}”`;

/** Whether these bytes are a ZIP archive, possibly an empty one. */
export const isArchive = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5) && bytes[3] === bytes[2] + 1;

function nameOf(bytes: Buffer, flags: number): string {
  if (!(flags & FLAG_UTF8) && bytes.every((byte) => byte < 0x80)) return bytes.toString('latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** Finds the directory of the archive. */
function findDirectory(archive: Buffer): { offset: number; end: number; count: number } {
  const last = archive.length - END_SIZE;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_LENGTH); at--) {
    if (archive.readUInt32LE(at) !== END_OF_DIRECTORY) continue;
    if (at + END_SIZE + archive.readUInt16LE(at + 20) !== archive.length) continue;
    const [disk, start, here, count] = [4, 6, 8, 10].map((field) => archive.readUInt16LE(at + field));
    const size = archive.readUInt32LE(at + 12);
    const offset = archive.readUInt32LE(at + 16);
    if (disk !== 0 || start !== 0 || here !== count || count === undefined)
      throw broken('is one part of a split archive');
    if (count === 0xffff || offset === 0xffff_ffff)
      throw broken('is in the ZIP64 format, which the bench does not read');
    if (offset + size !== at) throw broken('is damaged: its directory is not where it says');
    return { offset, end: at, count };
  }
  throw broken('is truncated or damaged: it has no directory');
}

/**
 * Reads the files of a ZIP archive from its directory, without folders and without unpacking. It trusts nothing in the
 * archive: the local headers must agree with the directory, files must not share bytes, and sizes are checked while
 * unpacking.
 * @throws project_archive; project_path for an entry that is no file, link or folder
 */
export function readArchive(bytes: Uint8Array): ArchiveEntry[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (archive.length < END_SIZE) throw broken('is truncated');
  const directory = findDirectory(archive);
  if (directory.count > MAX_ENTRIES)
    throw toolchainError('project_too_large', {
      message: `The archive has ${directory.count} entries; the bench takes at most ${MAX_ENTRIES}.`,
      remedy: 'Pack only the folders that the design needs.',
    });
  const entries: ArchiveEntry[] = [];
  const taken: { from: number; to: number }[] = [];
  let at = directory.offset;
  for (let n = 0; n < directory.count; n++) {
    if (at + 46 > directory.end || archive.readUInt32LE(at) !== CENTRAL_HEADER)
      throw broken('is damaged: its directory is incomplete');
    const [made, flags, method] = [4, 8, 10].map((field) => archive.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const [checksum, packed, size] = [16, 20, 24].map((field) => archive.readUInt32LE(at + field)) as [
      number,
      number,
      number,
    ];
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((field) =>
      archive.readUInt16LE(at + field),
    ) as [number, number, number];
    const mode = made >> 8 === MADE_ON_UNIX ? archive.readUInt32LE(at + 38) >>> 16 : 0;
    const header = archive.readUInt32LE(at + 42);
    const next = at + 46 + nameSize + extraSize + commentSize;
    if (next > directory.end) throw broken('is damaged: its directory is incomplete');
    const rawName = archive.subarray(at + 46, at + 46 + nameSize);
    const path = nameOf(rawName, flags);
    at = next;

    if (flags & FLAG_ENCRYPTED) throw broken(`is encrypted: ${shown(path)}`);
    const kind = mode & MODE_KIND;
    if (![0, MODE_FILE, MODE_FOLDER, MODE_LINK].includes(kind))
      throw toolchainError('project_path', { message: `${shown(path)} is neither a file nor a folder.` });

    if (header + 30 > directory.offset || archive.readUInt32LE(header) !== LOCAL_HEADER)
      throw broken(`is damaged: ${shown(path)} is not where its directory says`);
    const ownName = archive.readUInt16LE(header + 26);
    const from = header + 30 + ownName + archive.readUInt16LE(header + 28);
    if (!archive.subarray(header + 30, header + 30 + ownName).equals(rawName))
      throw broken(`is damaged: ${shown(path)} has another name in its own header`);
    if (from + packed > directory.offset) throw broken(`is truncated in ${shown(path)}`);
    taken.push({ from: header, to: from + packed });
    if (path.endsWith('/')) {
      if (packed > 0 && size > 0) throw broken(`is damaged: the folder ${shown(path)} has contents`);
      continue;
    }
    if (method !== STORED && method !== DEFLATED)
      throw broken(`uses a compression that the bench does not support (method ${method}): ${shown(path)}`);
    const contents = archive.subarray(from, from + packed);
    entries.push({
      path,
      packed,
      isLink: kind === MODE_LINK,
      unpack: (maxBytes) => unpack({ path, contents, method, size, checksum }, maxBytes),
    });
  }
  if (at !== directory.end) throw broken('is damaged: its directory has data after its end');
  taken.sort((a, b) => a.from - b.from);
  for (const [n, { from }] of taken.entries())
    if (n > 0 && from < (taken[n - 1]?.to ?? 0)) throw broken('is damaged: its files overlap');
  return entries;
}

interface Packed {
  path: string;
  contents: Buffer;
  method: number;
  size: number;
  checksum: number;
}

async function unpack({ path, contents, method, size, checksum }: Packed, most: number): Promise<Buffer> {
  const tooLarge = (cause?: unknown) =>
    toolchainError('project_too_large', {
      message: `${shown(path)} has more than ${most} bytes, which is all that the limit of unpacked projects leaves.`,
      cause,
    });
  let bytes: Buffer = contents;
  if (method === DEFLATED)
    try {
      // Stops as soon as the limit is exceeded. For zlib a limit of 0 means no limit.
      bytes = await inflate(contents, { maxOutputLength: Math.max(1, most) });
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE')
        throw tooLarge(cause);
      throw toolchainError('project_archive', {
        message: `The archive is damaged: ${shown(path)} cannot be unpacked.`,
        cause,
      });
    }
  if (bytes.length > most) throw tooLarge();
  if (bytes.length !== size || crc32(bytes) !== checksum)
    throw broken(`is damaged: ${shown(path)} does not match its directory`);
  return bytes;
}
