import { parseAs } from '../../contract/check.ts';
import { pack, unpack } from './artifact.ts';
import { type BuildMessage, isBuildMessage } from './messages.ts';

/** Shorter ones lie in Redis as the JSON that they are, bytes. */
const PLAIN = 400;
/** What may come out of one, bytes: what a worker collects at most, as JSON, and room to spare. */
const MAX_BYTES = 32 << 20;
/** The first byte of one that is deflated; of JSON it is a brace. */
const DEFLATED = 'z'.charCodeAt(0);

/** What is told of a build, as an entry of its stream. */
export async function packMessage(telling: BuildMessage): Promise<Buffer> {
  const bytes = Buffer.from(JSON.stringify(telling));
  if (bytes.length < PLAIN) return bytes;
  return Buffer.concat([Buffer.of(DEFLATED), await pack(bytes)]);
}

/** The reverse; null where it is no such thing. */
export async function unpackMessage(entry: Buffer): Promise<BuildMessage | null> {
  const bytes = entry[0] === DEFLATED ? await unpack(entry.subarray(1), MAX_BYTES).catch(() => null) : entry;
  return bytes && parseAs(bytes.toString(), isBuildMessage);
}
