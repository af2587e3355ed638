import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { checkOf, parseAs } from '../../contract/check.ts';
import { Floorplan } from '../../contract/signals/floorplan.ts';

const isFloorplan = checkOf(Floorplan);

/** The stored form: JSON, compressed. */
export function encodeFloorplan(floorplan: Floorplan): Uint8Array {
  return brotliCompressSync(JSON.stringify(floorplan), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
  });
}

/** Maximum bytes of a decoded floorplan; that of a full HX8K has a tenth of it. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The inverse of `encodeFloorplan`; null for any other bytes. */
export function decodeFloorplan(bytes: Uint8Array): Floorplan | null {
  let text: string;
  try {
    text = brotliDecompressSync(bytes, { maxOutputLength: MAX_BYTES }).toString();
  } catch {
    return null;
  }
  return parseAs(text, isFloorplan);
}
