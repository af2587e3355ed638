/**
 * LiteX's remote protocol: Etherbone packets over TCP (enjoy-digital/litex, litex/tools/remote/etherbone.py). All
 * fields are big-endian:
 *
 * - packet header, 8 bytes: magic 0x4E6F; version (4 bits, 1), a bit unused, no reads, probe reply, probe flag; sizes
 *   of address and data (4 bits each, 4 stands for 32 bits); four bytes of padding;
 * - one record, whose header has 4 bytes: flags, byte enables, number of writes, number of reads;
 * - where there are writes: base address, then the words; where there are reads: return address, then the addresses.
 *
 * Reads are answered with a packet whose record writes the words to the return address. Writes have no answer.
 */
const MAGIC = 0x4e6f;
const VERSION = 1;
const SIZES = 0x44;
const HEADER_BYTES = 8;
const RECORD_BYTES = 4;
/** Byte enables of whole words. */
const ALL_BYTES = 0x0f;
/** Maximum reads or writes of a record: their number is one byte. */
const MAX_WORDS = 255;

/** Bytes of the longest packet. */
export const MAX_PACKET_BYTES = HEADER_BYTES + RECORD_BYTES + 2 * 4 * (1 + MAX_WORDS);

export interface EtherbonePacket {
  /** Its length in bytes. */
  bytes: number;
  writes: { address: number; data: Uint32Array } | null;
  reads: { returnAddress: number; addresses: Uint32Array } | null;
  /** A probe, which is answered with a probe reply. */
  probe: boolean;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const words = (view: DataView, at: number, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, i) => view.getUint32(at + 4 * i));

/** Decodes the first packet of the received bytes; null while it is incomplete, a sentence where it is invalid. */
export function decodePacket(bytes: Uint8Array): EtherbonePacket | string | null {
  const view = viewOf(bytes);
  if (bytes.length >= 2 && view.getUint16(0) !== MAGIC) return 'An Etherbone packet begins with 0x4E6F.';
  if (bytes.length < HEADER_BYTES) return null;
  const flags = view.getUint8(2);
  if (flags >> 4 !== VERSION) return `Etherbone version ${flags >> 4} is not supported.`;
  if (flags & 1) return { bytes: HEADER_BYTES, writes: null, reads: null, probe: true };
  if (view.getUint8(3) !== SIZES) return 'Addresses and words have 32 bits here.';
  if (bytes.length < HEADER_BYTES + RECORD_BYTES) return null;
  const written = view.getUint8(HEADER_BYTES + 2);
  const read = view.getUint8(HEADER_BYTES + 3);
  if (written > 0 && view.getUint8(HEADER_BYTES + 1) !== ALL_BYTES) return 'Only whole words can be written.';
  const readsAt = HEADER_BYTES + RECORD_BYTES + (written > 0 ? 4 * (1 + written) : 0);
  const end = readsAt + (read > 0 ? 4 * (1 + read) : 0);
  if (bytes.length < end) return null;
  const writesAt = HEADER_BYTES + RECORD_BYTES;
  return {
    bytes: end,
    writes:
      written > 0 ? { address: view.getUint32(writesAt), data: words(view, writesAt + 4, written) } : null,
    reads:
      read > 0 ? { returnAddress: view.getUint32(readsAt), addresses: words(view, readsAt + 4, read) } : null,
    probe: false,
  };
}

/** The answer to the reads of a packet. */
export function encodeWords(returnAddress: number, data: Uint32Array): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + RECORD_BYTES + 4 * (1 + data.length));
  bytes.writeUInt16BE(MAGIC, 0);
  bytes.writeUInt8(VERSION << 4, 2);
  bytes.writeUInt8(SIZES, 3);
  bytes.writeUInt8(ALL_BYTES, HEADER_BYTES + 1);
  bytes.writeUInt8(data.length, HEADER_BYTES + 2);
  bytes.writeUInt32BE(returnAddress, HEADER_BYTES + RECORD_BYTES);
  for (let i = 0; i < data.length; i++)
    bytes.writeUInt32BE(data[i] ?? 0, HEADER_BYTES + RECORD_BYTES + 4 + 4 * i);
  return bytes;
}

/** The answer to a probe. */
export function encodeProbeReply(): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt16BE(MAGIC, 0);
  bytes.writeUInt8((VERSION << 4) | 2, 2);
  bytes.writeUInt8(SIZES, 3);
  return bytes;
}

/** A burst that reads some of the addresses, in order. */
interface Burst {
  address: number;
  count: number;
  fixed: boolean;
}

/** The reads of a packet in as few bursts as possible: each of consecutive words, or of one address. */
export function burstsOf(addresses: Uint32Array): Burst[] {
  const bursts: Burst[] = [];
  for (const address of addresses) {
    const last = bursts.at(-1);
    if (last && address === last.address + 4 * last.count && !last.fixed) last.count++;
    else if (last && address === last.address && (last.fixed || last.count === 1)) {
      last.fixed = true;
      last.count++;
    } else bursts.push({ address, count: 1, fixed: false });
  }
  return bursts;
}
