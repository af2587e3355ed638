// The stored form of a node's drafts.
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { DesignFile } from '../files/design-file.ts';
import { fromBase64, toBase64 } from '../files/recent-files.ts';
import type { Draft } from './draft-store.ts';
import { encodeSource } from './source-text.ts';

/** Maximum characters of the files of one node: local storage has about five million for all. */
const MAX_STORED_CHARACTERS = 1 << 20;

interface StoredFile {
  name: string;
  /** A UTF-8 text. */
  text?: string;
  /** Any other file. */
  base64?: string;
}

interface StoredDraft extends Omit<Draft, 'files'> {
  files: readonly StoredFile[];
}

/** The drafts of a node: the shown one first, if one is shown. */
export interface NodeDrafts {
  shown: Draft | undefined;
  others: readonly Draft[];
}

/** As stored, and the paths of the files without room, by draft. */
export interface EncodedDrafts {
  stored: { shown: StoredDraft | null; others: readonly StoredDraft[] };
  unstored: ReadonlyMap<Draft, readonly string[]>;
}

function encodeFile({ name, contents }: DesignFile): StoredFile {
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(contents) };
  } catch {
    return { name, base64: toBase64(contents) };
  }
}

const decodeFile = ({ name, text, base64 }: StoredFile): DesignFile => ({
  name,
  contents: text === undefined ? fromBase64(base64 ?? '') : encodeSource(text),
});

const sizeOf = ({ text, base64 }: StoredFile): number => (text ?? base64 ?? '').length;

/** Texts before other files and small ones before large ones: as many as possible are stored. */
const byWorth = (a: StoredFile, b: StoredFile): number =>
  Number(a.text === undefined) - Number(b.text === undefined) || sizeOf(a) - sizeOf(b);

/** Encodes the drafts of a node, as far as there is room. */
export function encodeDrafts(
  { shown, others }: NodeDrafts,
  room: number = MAX_STORED_CHARACTERS,
): EncodedDrafts {
  let left = room;
  const unstored = new Map<Draft, readonly string[]>();
  const encode = (draft: Draft): StoredDraft => {
    const { files, unstored: before = [], ...rest } = draft;
    const encoded = files.map(encodeFile);
    const fitting = new Set<StoredFile>();
    for (const file of [...encoded].sort(byWorth)) {
      if (sizeOf(file) > left) continue;
      left -= sizeOf(file);
      fitting.add(file);
    }
    const without = encoded.flatMap((file) => (fitting.has(file) ? [] : [file.name]));
    const gone = before.filter((name) => !files.some((file) => file.name === name));
    const all = [...gone, ...without];
    unstored.set(draft, all);
    return {
      ...rest,
      files: encoded.filter((file) => fitting.has(file)),
      ...(all.length > 0 && { unstored: all }),
    };
  };
  return { stored: { shown: shown ? encode(shown) : null, others: others.map(encode) }, unstored };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function isStoredFile(value: unknown): value is StoredFile {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false;
  return typeof value['text'] === 'string' || typeof value['base64'] === 'string';
}

/** A draft without files is none: nothing of it could be stored. */
function decodeDraft(value: unknown): Draft[] {
  if (!isRecord(value)) return [];
  const { name, files, options, aside, path, edited, at, unstored } = value;
  if (typeof name !== 'string' || !Array.isArray(files) || !files.every(isStoredFile) || files.length === 0)
    return [];
  try {
    return [
      {
        name,
        files: files.map(decodeFile),
        // The service checks them with the submit.
        options: isRecord(options) ? (options as SubmitOptions) : {},
        ...(isTexts(aside) && { aside }),
        ...(typeof path === 'string' && { path }),
        ...(edited === true && { edited }),
        ...(typeof at === 'number' && { at }),
        ...(isTexts(unstored) && { unstored }),
      },
    ];
  } catch {
    return []; // damaged base64
  }
}

/** Decodes stored drafts; any version of this page may have written them. */
export function decodeDrafts(stored: unknown): NodeDrafts {
  const { shown, others } = isRecord(stored) ? stored : {};
  return {
    shown: decodeDraft(shown)[0],
    others: Array.isArray(others) ? others.flatMap(decodeDraft) : [],
  };
}
