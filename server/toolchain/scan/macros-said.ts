import type { Edit } from './edits.ts';
import { leads, type SourcePieces, shortened } from './source-pieces.ts';

/** Directives whose back-tick is left out now and then, and that take the rest of their line. */
const LINES = /^(?:define|include|timescale|undef|default_nettype)$/;

/** What may be wrong with a macro or a directive at a piece that was not expected. */
export const macroEdits = (source: SourcePieces, index: number): Edit[] => [
  ...withoutBackTick(source, index),
  ...tickForBackTick(source, index),
  ...endInDefinition(source, index),
];

/** `define WIDTH 8` */
function withoutBackTick(source: SourcePieces, index: number): Edit[] {
  const { text, pieces, lines } = source;
  for (const at of [index, index - 1, index - 2]) {
    const word = pieces[at];
    if (word?.kind !== 'word' || !LINES.test(word.text) || !leads(source, at)) continue;
    const end = text.indexOf('\n', word.end);
    return [
      {
        from: word.start,
        to: end < 0 ? text.length : end,
        text: ' ',
        line: lines[at] ?? 1,
        said: `\`${word.text}\` has to begin with a back-tick: \`\`${word.text}\``,
      },
    ];
  }
  return [];
}

/** `'WIDTH` where a macro of that name is defined. */
function tickForBackTick({ pieces, lines }: SourcePieces, index: number): Edit[] {
  for (const at of [index - 2, index - 1, index, index + 1]) {
    const [tick, name] = [pieces[at], pieces[at + 1]];
    if (tick?.text !== "'" || name?.kind !== 'word' || name.start !== tick.end) continue;
    if (definitionOf(pieces, name.text) < 0) continue;
    return [
      {
        from: tick.start,
        to: tick.end,
        text: '`',
        line: lines[at] ?? 1,
        said: `\`'${shortened(name.text)}\` is the macro \`\`${shortened(name.text)}\`: it has to begin with a back-tick, not with \`'\``,
      },
    ];
  }
  return [];
}

const definitionOf = (pieces: SourcePieces['pieces'], name: string): number =>
  pieces.findIndex(({ kind, text }) => kind === 'directive' && /^`define\s+(\w+)/.exec(text)?.[1] === name);

/** `` `define WIDTH 8; `` or `` `define WIDTH = 8 ``: what stands there is put in at each use. */
function endInDefinition({ pieces, lines }: SourcePieces, index: number): Edit[] {
  for (const at of [index, index - 1]) {
    const use = pieces[at];
    const definition = use?.kind === 'macro' ? definitionOf(pieces, use.text.slice(1)) : -1;
    const piece = pieces[definition];
    if (!piece || definition >= at) continue;
    const [, head = '', value = ''] = /^(`define\s+\w+(?:\([^()]*\))?\s*)([^/]*)/.exec(piece.text) ?? [];
    const odd = /^=/.test(value) ? '=' : /;\s*$/.test(value) ? ';' : null;
    if (odd === null) continue;
    const from = piece.start + head.length + (odd === '=' ? 0 : value.lastIndexOf(';'));
    const line = lines[definition] ?? 1;
    return [
      {
        from,
        to: from + 1,
        text: ' ',
        line,
        said: `the \`${odd}\` in the definition of \`${shortened(use?.text ?? '')}\` in line ${line} is put in wherever the macro is used, as in line ${lines[at]}: take it out`,
      },
    ];
  }
  return [];
}
