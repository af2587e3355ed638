/** CRC-16-CCITT, polynomial 0x1021, most significant bit first: the CRC of the iCE40's configuration port. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});

/** Continues `crc` over `bytes[from, to)`. */
export function crc16(crc: number, bytes: Uint8Array, from = 0, to = bytes.length): number {
  for (let i = from; i < to; i++) crc = ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ (bytes[i] ?? 0)] ?? 0);
  return crc;
}
