import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import { parseAs } from '../../contract/check.ts';
import { type CachedBuild, decodeBuild, encodeBuild } from '../cache/build-file.ts';
import { type BuildMessage, isBuildMessage } from './messages.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Below this size packing is synchronous, because a thread takes longer. Bytes. */
const SMALL = 16 << 10;

/** Limit of an unpacked result, bytes. */
const MAX_BYTES = 256 << 20;

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Deflates at the lowest level: it costs little, and bitstreams are mostly zeros. */
export const pack = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length < SMALL ? deflateRawSync(bytes, { level: 1 }) : deflate(bytes, { level: 1 });

/** Reverses pack. @throws Error when the data is damaged, or unpacks to more than `most` bytes */
export async function unpack(bytes: Uint8Array, most = MAX_BYTES): Promise<Buffer> {
  // A small packet may unpack to a large one, which goes to a thread.
  if (bytes.length < SMALL / 4)
    try {
      return inflateRawSync(bytes, { maxOutputLength: Math.min(most, SMALL * 4) });
    } catch {
      // The thread below reports the error.
    }
  return inflate(bytes, { maxOutputLength: most });
}

/** Packs a build. */
export const packBuild = (build: CachedBuild): Promise<Buffer> => pack(encodeBuild(build));

/**
 * Reverses packBuild; null when the data is damaged or of another version.
 * @param digest announced SHA-256 of `packed`
 */
export async function unpackBuild(packed: Uint8Array, digest: string): Promise<CachedBuild | null> {
  if (sha256(packed) !== digest) return null;
  try {
    return decodeBuild(await unpack(packed));
  } catch {
    return null;
  }
}

/** Shorter messages are stored as plain JSON, bytes. */
const PLAIN = 400;
/** Limit of an unpacked message, bytes: the most that a worker collects, as JSON, with a margin. */
const MAX_MESSAGE_BYTES = 32 << 20;
/** First byte of a deflated message. JSON begins with a brace. */
const DEFLATED = 'z'.charCodeAt(0);

/** Packs a message as an entry of its stream. */
export async function packMessage(message: BuildMessage): Promise<Buffer> {
  const bytes = Buffer.from(JSON.stringify(message));
  if (bytes.length < PLAIN) return bytes;
  return Buffer.concat([Buffer.of(DEFLATED), await pack(bytes)]);
}

/** Reverses packMessage; null when the entry is invalid. */
export async function unpackMessage(entry: Buffer): Promise<BuildMessage | null> {
  const bytes =
    entry[0] === DEFLATED ? await unpack(entry.subarray(1), MAX_MESSAGE_BYTES).catch(() => null) : entry;
  return bytes && parseAs(bytes.toString(), isBuildMessage);
}
