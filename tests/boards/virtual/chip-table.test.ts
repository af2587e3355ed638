import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildTable, TABLE_FILE } from '../../../resources/fabric/generate.ts';

// The compressed bytes depend on the release of the compressor inside Node; what they hold does not.
test('the chip table is what the generator makes of the installed chip database, byte for byte', () => {
  const stored = brotliDecompressSync(readFileSync(TABLE_FILE));
  expect(buildTable().equals(stored)).toBe(true);
});
