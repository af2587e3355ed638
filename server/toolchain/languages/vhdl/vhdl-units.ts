import { vhdlSource } from './vhdl-places.ts';

/** A design unit of a source: an entity, architecture, package or the like. */
export interface VhdlUnit {
  kind: string;
  /** Its name; for an architecture or configuration the name of its entity. */
  name: string;
  line: number;
  /** Offsets of its text; `end` is after the last character. */
  start: number;
  end: number;
  /** Whether an entity has a `port` clause. */
  hasPorts: boolean;
}

const HEADS = new Set(['entity', 'architecture', 'package', 'configuration', 'context']);
const CONTEXT = new Set(['library', 'use', 'context']);

/** Design units of a VHDL source, with the clauses above them; names are in lower case. */
export function vhdlUnits(text: string): VhdlUnit[] {
  const { tokens } = vhdlSource(text);
  const word = (at: number) => tokens[at]?.text ?? '';
  const heads = tokens.flatMap(({ text: kind }, at) => {
    if (!HEADS.has(kind) || (at > 0 && word(at - 1) !== ';')) return [];
    return word(at + 2) === 'is' ||
      (word(at + 2) === 'of' && word(at + 4) === 'is') ||
      word(at + 1) === 'body'
      ? [at]
      : [];
  });
  const starts = heads.map((head) => {
    let start = head;
    for (;;) {
      let clause = start - 1;
      while (clause > 0 && word(clause - 1) !== ';') clause--;
      if (clause < 0 || clause >= start || !CONTEXT.has(word(clause))) return start;
      start = clause;
    }
  });
  return heads.map((head, n) => {
    const next = heads[n + 1] ?? tokens.length;
    const declaration = tokens.slice(head, next).map(({ text }) => text);
    const end = declaration.indexOf('end');
    const kind = word(head);
    const of = kind === 'architecture' || kind === 'configuration';
    return {
      kind,
      name: word(of ? head + 3 : head + 1),
      line: tokens[head]?.line ?? 1,
      start: tokens[starts[n] ?? head]?.start ?? 0,
      end: tokens[starts[n + 1] ?? tokens.length]?.start ?? text.length,
      hasPorts: declaration.slice(0, end < 0 ? undefined : end).includes('port'),
    };
  });
}

/** Declaration and architectures of an entity; empty when the source does not have it. */
export const textOfEntity = (text: string, entity: string): string =>
  vhdlUnits(text)
    .filter(({ kind, name }) => name === entity && (kind === 'entity' || kind === 'architecture'))
    .map(({ start, end }) => text.slice(start, end))
    .join('');

/** A name where an instance or a component may have it. */
const INSTANTIATED = /(?:[:.]|\bcomponent\b)\s*(\w+)/gi;

/** The entities that the texts of no other entity instantiate; names in lower case. */
export function vhdlRoots(texts: readonly string[], entities: readonly string[]): string[] {
  const parts = new Set(
    texts.flatMap((text) =>
      vhdlUnits(text).flatMap(({ name, start, end }) =>
        [...text.slice(start, end).matchAll(INSTANTIATED)].flatMap(([, part = '']) =>
          part.toLowerCase() === name ? [] : [part.toLowerCase()],
        ),
      ),
    ),
  );
  return entities.filter((name) => !parts.has(name));
}

/** Whether a text has code and no design unit: it is a fragment for another source. */
export const isFragment = (text: string): boolean => {
  const words = vhdlSource(text).tokens;
  return words.length > 0 && !words.some(({ kind, text: word }) => kind === 'word' && HEADS.has(word));
};
