import type { MapFormat, RegisterMap } from '../contract/designs/register-map.ts';
import { fileProblem, type ReadMap } from './draft.ts';
import { readIpxact } from './ipxact.ts';
import { writeIpxact } from './ipxact-write.ts';
import { looksLikeMapFile, readMapFile } from './json.ts';
import { looksLikeCsrJson, readCsrCsv, readCsrJson, writeCsrCsv, writeCsrJson } from './litex.ts';
import { readSvd } from './svd.ts';
import { writeSvd } from './svd-write.ts';
import { readBenchTable, writeTable } from './table.ts';

/** Writes a map in one of its formats. */
export function writeMap(map: RegisterMap, format: MapFormat): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(map, null, 2)}\n`;
    case 'csv':
      return writeTable(map);
    case 'svd':
      return writeSvd(map);
    case 'ipxact':
      return writeIpxact(map);
    case 'csr.json':
      return writeCsrJson(map);
    case 'csr.csv':
      return writeCsrCsv(map);
  }
}

/** The format of a text, from its beginning; null for any other text. */
export function formatOf(text: string): MapFormat | null {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('<'))
    return /<(?:\w+:)?component[\s>]/.test(start.slice(0, 20_000)) ? 'ipxact' : 'svd';
  if (start.startsWith('{')) return /"csr_registers"/.test(start) ? 'csr.json' : 'json';
  if (/^(?:csr_base|csr_register|constant|memory_region),/m.test(start.slice(0, 20_000))) return 'csr.csv';
  return start.includes(',') || start.includes(';') ? 'csv' : null;
}

/**
 * Reads a map from a file other than JSON.
 * @param name of a map whose file has none
 */
export function readMap(
  text: string,
  format: Exclude<MapFormat, 'json' | 'csr.json'>,
  name: string,
): ReadMap {
  switch (format) {
    case 'csv':
      return readBenchTable(text, name);
    case 'svd':
      return readSvd(text);
    case 'ipxact':
      return readIpxact(text);
    case 'csr.csv':
      return readCsrCsv(text, name);
  }
}

/** Reads a map from JSON in a format other than the API's own; null for any other JSON. */
export function readMapValue(value: unknown, name: string): ReadMap | null {
  if (looksLikeCsrJson(value)) return readCsrJson(value, name);
  if (looksLikeMapFile(value)) return readMapFile(value, name);
  return null;
}

/** The error for a text in no known format. */
export const unknownFormat = (): ReadMap => ({
  problems: [fileProblem(null, 'its format is not a known format of register maps; name one with ?format=')],
});
