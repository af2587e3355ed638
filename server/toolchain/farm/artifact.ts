import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import Type, { type Static } from 'typebox';
import { checkOf, parseAs } from '../../contract/check.ts';
import { BuildReport } from '../../contract/designs/uploads.ts';
import type { CachedBuild } from '../cache/build-cache.ts';

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

/** Parts of a result, in their order after the header. */
const PARTS = ['bitstream', 'report', 'log', 'symbols', 'floorplan'] as const;

const Size = Type.Union([Type.Null(), Type.Integer({ minimum: 0 })]);
const Header = Type.Object(
  { bitstream: Type.Integer({ minimum: 0 }), report: Size, log: Size, symbols: Size, floorplan: Size },
  { additionalProperties: false },
);
const isHeader = checkOf(Header);
const isReport = checkOf(BuildReport);

/** Packs a build: a line of JSON with the sizes of the parts, then the parts. */
export function packBuild({ bitstream, report, log, symbols, floorplan }: CachedBuild): Promise<Buffer> {
  const text = (value: string | null) => (value === null ? null : Buffer.from(value));
  const parts = {
    bitstream,
    report: text(report && JSON.stringify(report)),
    log: text(log),
    symbols,
    floorplan,
  };
  const header: Static<typeof Header> = {
    bitstream: bitstream.length,
    report: parts.report?.length ?? null,
    log: parts.log?.length ?? null,
    symbols: symbols?.length ?? null,
    floorplan: floorplan?.length ?? null,
  };
  const whole = [
    Buffer.from(`${JSON.stringify(header)}\n`),
    ...PARTS.map((name) => parts[name] ?? Buffer.alloc(0)),
  ];
  return pack(Buffer.concat(whole));
}

/**
 * Reverses packBuild; null when the data is damaged or of another version.
 * @param digest announced SHA-256 of `packed`
 */
export async function unpackBuild(packed: Uint8Array, digest: string): Promise<CachedBuild | null> {
  if (sha256(packed) !== digest) return null;
  const bytes = await unpack(packed).catch(() => null);
  const end = bytes?.indexOf('\n') ?? -1;
  if (!bytes || end < 0) return null;
  const header = parseAs(bytes.subarray(0, end).toString(), isHeader);
  if (header === null) return null;
  let at = end + 1;
  const [bitstream, reportText, log, symbols, floorplan] = PARTS.map((name) => {
    const size = header[name];
    if (size === null) return null;
    at += size;
    return bytes.subarray(at - size, at);
  });
  if (at !== bytes.length || !bitstream) return null;
  const report = reportText ? parseAs(reportText.toString(), isReport) : null;
  if (reportText && report === null) return null;
  return {
    bitstream,
    report,
    log: log?.toString() ?? '',
    symbols: symbols ?? null,
    floorplan: floorplan ?? null,
  };
}
