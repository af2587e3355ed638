import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { Module } from '../../slave/netlist.ts';
import type { ToolFiles } from '../../tool-engine.ts';
import type { Reading } from '../reading.ts';

/** slang's warning when a file has more words, or fewer, than the range of the memory. */
const OTHER_COUNT = /^number of words in '.*' doesn't match the range$/;

/** Message for a file with too many words. */
const MORE_WORDS =
  'the file has more words than fit: make the memory or its range larger, or remove words from the file';

const placeOf = ({ file, line, column }: Partial<Diagnostic>) => `${file}:${line}:${column}`;

/** The same files with all words in one line. From one line slang takes no more words than fit. */
const inOneLine = (files: ToolFiles): ToolFiles =>
  Object.fromEntries(
    Object.entries(files).map(([path, contents]) => [
      path,
      typeof contents === 'string'
        ? contents
        : Buffer.from(contents)
            .toString('latin1')
            .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|\s+/g, ' '),
    ]),
  );

/** Errors for files that fill a memory beyond its end. slang does not report them. */
const overfilled = ({ cells, memories }: Module): Diagnostic[] =>
  cells.flatMap(({ type, parameters: { MEMID = '', WORDS = '' }, connections, place }) => {
    const memory = type.startsWith('$meminit') && memories.find(({ name }) => `\\${name}` === MEMID);
    if (!memory) return [];
    const address = Number.parseInt([...(connections['ADDR'] ?? [])].reverse().join(''), 2) | 0;
    const fits = address + Number.parseInt(WORDS, 2) <= memory.start + memory.size;
    const message = `\`${memory.name}\` has ${memory.size} words: ${MORE_WORDS}`;
    return fits ? [] : [{ severity: 'error', code: 'slang_error', message, ...place }];
  });

/**
 * Refuses a design with a file that has too many words for its memory. slang only warns or is silent, and the
 * surplus words overwrite others.
 * @param again reads with other files
 */
export async function withFittingFiles(
  reading: Reading,
  files: ToolFiles,
  again: (files: ToolFiles) => Promise<Reading>,
): Promise<Reading> {
  const { read, diagnostics } = reading;
  if (read === null) return reading;
  const isCounted = ({ message }: Diagnostic) => OTHER_COUNT.test(message);
  const fewer = diagnostics.some(isCounted)
    ? (await again(inOneLine(files))).diagnostics.filter(isCounted)
    : null;
  const known = new Set(fewer?.map(placeOf));
  const marked = diagnostics.map(
    (one): Diagnostic =>
      isCounted(one) && !known.has(placeOf(one))
        ? { ...one, severity: 'error', code: 'slang_error', message: `${one.message}: ${MORE_WORDS}` }
        : one,
  );
  const found = [...[...read.netlist.values()].flatMap(overfilled), ...marked];
  return found.some(({ severity }) => severity === 'error') ? { read: null, diagnostics: found } : reading;
}
