import { DEFAULT_SETTINGS } from '../../contract/bench/settings.ts';
import type { Language } from '../../contract/designs/uploads.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { CONTROL_CHARACTER, deceptiveCharacters } from '../../text.ts';
import { formOf, languageOfName, languageOfText } from '../languages/language.ts';
import { testbenchAlone, withoutTestbenches } from '../languages/testbenches.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { timeScales } from './project-references.ts';

/** First bytes of files that users submit by mistake, with their type. */
const MAGIC: [number[], string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive'],
  [[0x1f, 0x8b], 'a gzip archive'],
  [[0x7f, 0x45, 0x4c, 0x46], 'an executable'],
  [[0x4d, 0x5a, 0x90], 'an executable'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF document'],
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0xff, 0x00, 0x00, 0xff], 'an iCE40 bitstream'], // as icepack begins it without a comment
  [[0x7e, 0xaa, 0x99, 0x7e], 'an iCE40 bitstream'],
];

/** End mark of old editors (Control-Z). */
const END_OF_FILE = '\u001a';

const startsWith = (bytes: Uint8Array, start: number[]) => start.every((byte, at) => bytes[at] === byte);

/**
 * Decodes UTF-8 (with or without a byte order mark), UTF-16 with one, and else Latin-1.
 * @throws design_binary when the bytes are no text
 */
function decode(bytes: Uint8Array, filename: string, notes: string[]): string {
  const found = MAGIC.find(([start]) => startsWith(bytes, start));
  if (found) throw binary(filename, `${found[1]}, not text`);
  const wide = startsWith(bytes, [0xff, 0xfe])
    ? 'utf-16le'
    : startsWith(bytes, [0xfe, 0xff])
      ? 'utf-16be'
      : null;
  let text: string;
  if (wide) {
    try {
      text = new TextDecoder(wide, { fatal: true }).decode(bytes);
    } catch {
      throw binary(filename, `not valid ${wide.toUpperCase()}, although its first two bytes say so`);
    }
    notes.push(`the file was read as ${wide.toUpperCase()}; tools expect UTF-8`);
  } else {
    const marked = startsWith(bytes, [0xef, 0xbb, 0xbf]);
    if (marked) notes.push('the byte order mark at the start of the file was removed');
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        bytes.subarray(marked ? 3 : 0),
      );
    } catch {
      text = Buffer.from(bytes).toString('latin1');
      notes.push('the file is not UTF-8 and has been read as Latin-1');
    }
  }
  const end = text.trimEnd();
  if (end.endsWith(END_OF_FILE)) text = end.slice(0, -1);
  const control = CONTROL_CHARACTER.exec(text);
  if (control) {
    const { line, column } = placeOf(text, control.index);
    const byte = `0x${control[0].charCodeAt(0).toString(16).padStart(2, '0')}`;
    throw binary(filename, `binary, not text: it has the byte ${byte} in line ${line}`, { line, column });
  }
  return text;
}

const binary = (filename: string, message: string, place: { line?: number; column?: number } = {}) =>
  toolchainError('design_binary', {
    message: `The source file ${filename} is ${message}.`,
    diagnostics: [{ severity: 'error', code: 'design_binary', file: filename, ...place, message }],
  });

/** Line and column of a character, from 1. */
function placeOf(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index);
  return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
}

/** Characters that editors and web pages insert instead of spaces, and that no HDL tool accepts. */
const ODD_SPACE = /[\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]/g;

const withoutComments = (text: string, language: Language): string =>
  text.replace(new RegExp(formOf(language).comment, 'g'), '');

/** Limit of deceptive characters that are listed. */
const MAX_DECEPTIVE_CHARACTERS = 10;

/** The language by file extension, else by the text. */
function languageOf(filename: string, text: string, notes: string[]): Language {
  const known = languageOfName(filename);
  if (known) return known;
  const fits = languageOfText(text);
  const [extension] = /\.[^./\\]+$/.exec(filename) ?? [];
  if (!fits)
    throw toolchainError('design_language', {
      message: extension
        ? `The bench reads no HDL from files with the extension ${extension.slice(0, 17).toLowerCase()}.`
        : 'The file name has no extension, and the text is not an HDL that the bench knows.',
    });
  notes.push(`the file name does not say the language; its text looks like ${fits.title}`);
  return fits.language;
}

/**
 * Device names of Windows, with any extension; superscript digits have become underscores. Source: Microsoft, "Naming
 * Files, Paths, and Namespaces".
 */
const RESERVED_NAME = /^(?:con|prn|aux|nul|conin_|conout_|(?:com|lpt)[\d_])_*(?:\.|$)/i;

/** A base name that is safe in a tool's script, in a log line and on all file systems. */
function safeName(filename: string, language: Language): string {
  const base = filename
    .replace(/^.*[/\\]/, '')
    .replace(/[^\w.+-]/g, '_')
    .replace(/^[.+-]+/, '');
  const stem = base.replace(/\.[^.]*$/, '').slice(0, 80) || 'design';
  const own = /\.[A-Za-z]+$/.exec(base)?.[0] ?? '';
  const safe = RESERVED_NAME.test(stem) ? `user_${stem}` : stem;
  // Generated sources begin with `wishbench_`; an upload must not replace one.
  return `${safe.replace(/^wishbench_/i, 'user_wishbench_')}${languageOfName(base) ? own : `.${formOf(language).extensions[0]}`}`;
}

export const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/**
 * Prepares an upload of one file for the tools: decodes it, finds its language, and makes it safe to read. The
 * file's name is safe on a tool's command line. Its text is UTF-8 with the upload's line numbers.
 * @param bytes of the upload
 * @param filename its extension decides the language
 * @param limit bytes; default: the upload limit of the default settings
 * @throws design_too_large, design_empty, design_binary, design_language
 */
export function prepareSource(
  bytes: Uint8Array,
  filename: string,
  limit: number = DEFAULT_SETTINGS.limits.upload_bytes,
): PreparedDesign {
  if (bytes.length > limit)
    throw toolchainError('design_too_large', {
      message: `The source file has ${bytes.length} bytes; the bench accepts at most ${limit}.`,
    });
  if (bytes.length === 0) throw toolchainError('design_empty');
  const notes: string[] = [];
  const text = decodeSource(bytes, filename, notes);
  if (text.trim() === '') throw toolchainError('design_empty', { message: 'The source file is blank.' });
  const language = languageOf(filename, text, notes);
  if (withoutComments(text, language).trim() === '')
    throw toolchainError('design_empty', { message: 'The source file has only comments.' });
  const name = safeName(filename, language);
  const design = withoutTestbenches(text, language, notes);
  const form = formOf(language);
  const [own = design] = form.rewrite([design], notes);
  const checked = form.neutralise(own, name);
  const empty = timeScales(form.hasIncludes ? own : '');
  for (const included of empty.names)
    notes.push(`\`include "${included}" was left out; synthesis needs no time scale`);
  const testbench = testbenchAlone(text, language, name);
  return {
    language,
    files: { ...empty.files, [name]: withLineEnd(checked.text) },
    units: [name],
    uploaded: [name],
    notes,
    diagnostics: [...(testbench ? [testbench] : []), ...checked.diagnostics],
  };
}

/**
 * Decodes a source, with `\n` line ends and plain spaces.
 * @param notes receives changes and warnings
 * @throws design_binary
 */
export function decodeSource(bytes: Uint8Array, filename: string, notes: string[]): string {
  let text = decode(bytes, filename, notes).replace(/\r\n?/g, '\n');
  const deceptive = deceptiveCharacters(text);
  for (const { index, written } of deceptive.slice(0, MAX_DECEPTIVE_CHARACTERS)) {
    const { line, column } = placeOf(text, index);
    notes.push(
      `line ${line}, column ${column}: invisible character ${written}: the source may differ from what an editor shows`,
    );
  }
  if (deceptive.length > MAX_DECEPTIVE_CHARACTERS)
    notes.push(`${deceptive.length - MAX_DECEPTIVE_CHARACTERS} more invisible characters of this kind`);
  let replaced = 0;
  text = text.replace(ODD_SPACE, () => {
    replaced++;
    return ' ';
  });
  if (replaced > 0) notes.push(`${replaced} no-break or invisible spaces were replaced by spaces`);
  return text;
}
