import type { Place } from '../diagnostics/place.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { MAX_SOURCE_LENGTH, type SourcePieces, sourcePieces } from '../languages/verilog/source-pieces.ts';
import { reportedName } from '../tool-paths.ts';
import { type Declaration, declaredIn } from './declared-names.ts';

/** Where a signal, a memory or an instance stands that a tool names without a place; null where that is not to be told. */
export type NamePlaces = (name: string) => Place | null;

interface Text {
  file: string;
  source: SourcePieces;
  declared: ReadonlyMap<string, Declaration>;
}

/**
 * Finds names in the Verilog of a design: what is assigned to one, else where it is declared. A name that several modules have
 * is found in the one that is named in front of it, as in `top.count`, else in the first.
 */
export function namePlaces({ files, uploaded }: Pick<PreparedDesign, 'files' | 'uploaded'>): NamePlaces {
  let texts: Text[] | null = null;
  /** Those that were asked for: of a broken design many names are, in few modules. */
  const modules = new Map<string, Text | null>();
  return (name) => {
    texts ??= Object.entries(files).flatMap(([path, text]) =>
      typeof text === 'string' && text.length <= MAX_SOURCE_LENGTH && uploaded.includes(reportedName(path))
        ? textOf(reportedName(path), sourcePieces(text))
        : [],
    );
    const [first = '', ...inside] = name.replace(/\[.*$/, '').split('.');
    if (inside.length > 0 && !modules.has(first)) modules.set(first, moduleOf(first, texts));
    const module = inside.length > 0 ? modules.get(first) : null;
    // What is behind the first name is within an instance of that name, wherever it is declared.
    const [wanted = ''] = module ? inside : [first];
    return placeIn(module ? [module] : texts, wanted);
  };
}

function textOf(file: string, source: SourcePieces): Text {
  return { file, source, declared: declaredIn(source) };
}

/** The pieces of one module as a text of its own. */
function moduleOf(name: string, texts: readonly Text[]): Text | null {
  for (const { file, source } of texts) {
    const { pieces, lines } = source;
    const from = pieces.findIndex(({ text }, at) => text === name && pieces[at - 1]?.text === 'module');
    if (from < 0) continue;
    const length = pieces.slice(from).findIndex(({ text }) => text === 'endmodule');
    const to = length < 0 ? pieces.length : from + length;
    return textOf(file, { ...source, pieces: pieces.slice(from, to), lines: lines.slice(from, to) });
  }
  return null;
}

function placeIn(texts: readonly Text[], name: string): Place | null {
  const find = (look: (text: Text) => number | undefined): Place | null => {
    for (const text of texts) {
      const line = text.source.lines[look(text) ?? -1];
      if (line !== undefined) return { file: text.file, line };
    }
    return null;
  };
  const assigned = ({ source: { pieces } }: Text) =>
    pieces.findIndex((piece, at) => piece.text === name && pieces[at - 1]?.text === 'assign');
  const declared = (isInput: boolean) => (text: Text) => {
    const found = text.declared.get(name);
    return found?.isInput === isInput ? found.at : undefined;
  };
  // One with parameters; others are among what is declared.
  const instance = ({ source: { pieces } }: Text) =>
    pieces.findIndex(
      (piece, at) => piece.text === name && pieces[at - 1]?.text === ')' && pieces[at + 1]?.text === '(',
    );
  // An input is right where it is declared, and what it is assigned to may not be.
  const assignedTo = ({ source: { pieces } }: Text) =>
    pieces.findIndex(
      (piece, at) => piece.text === name && pieces[at - 1]?.text === '=' && pieces[at - 3]?.text === 'assign',
    );
  return (
    find(assigned) ?? find(declared(false)) ?? find(instance) ?? find(assignedTo) ?? find(declared(true))
  );
}
