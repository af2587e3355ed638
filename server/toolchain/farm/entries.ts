import { parseAs } from '../../contract/check.ts';
import { pack, unpack } from './artifact.ts';
import { type BuildMessage, isBuildMessage } from './messages.ts';

/** Shorter messages are stored as plain JSON, bytes. */
const PLAIN = 400;
/** Limit of an unpacked message, bytes: the most that a worker collects, as JSON, with a margin. */
const MAX_BYTES = 32 << 20;
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
  const bytes = entry[0] === DEFLATED ? await unpack(entry.subarray(1), MAX_BYTES).catch(() => null) : entry;
  return bytes && parseAs(bytes.toString(), isBuildMessage);
}
