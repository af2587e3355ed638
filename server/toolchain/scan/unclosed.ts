import { type SourcePieces, shortened } from './source-pieces.ts';

/** What is certainly wrong at a place of a source, or before it. */
export interface Certain {
  /** From 1. */
  line: number;
  said: string;
}

/** A comment or a string that has no end, or a number with digits that its base has not, before the place of an error. */
export function brokenText(source: SourcePieces, line: number, atEnd: boolean): Certain | null {
  return (
    (atEnd ? openComment(source.text) : null) ??
    openString(source, line, atEnd) ??
    oddCharacter(source, line, atEnd) ??
    oddNumber(source, line)
  );
}

/** What word processors and web pages make of a character → what it was. */
const TYPED: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u00b4': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u2212': '-',
  '\u2026': '...',
  '\u00d7': '*',
  '\u2264': '<=',
  '\u2265': '>=',
  '\u2260': '!=',
};

/** A character outside of comments and strings that no tool reads: Yosys takes it for the end of the file. */
function oddCharacter({ text, pieces, lines }: SourcePieces, line: number, atEnd: boolean): Certain | null {
  for (const [at, piece] of pieces.entries()) {
    const own = lines[at] ?? 1;
    if (!atEnd && own > line) return null;
    if (piece.text <= '\u007f' || piece.kind !== 'mark') continue;
    const character = String.fromCodePoint(text.codePointAt(piece.start) ?? 0);
    const typed = TYPED[character];
    const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
    return {
      line: own,
      said: `the character ${character} (${code}) can stand in comments and strings only${typed ? `: write \`${typed}\`` : ''}`,
    };
  }
  return null;
}

/** The comment that takes the rest of a text. */
function openComment(text: string): Certain | null {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?(\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*"?|[\s\S]/g;
  for (const { 0: found, 1: end, index } of text.matchAll(token))
    if (end === '')
      return {
        line: lineAt(text, index),
        said: `the comment that begins with \`${found.slice(0, 2)}\` in line ${lineAt(text, index)} has no \`*/\``,
      };
  return null;
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** A string that does not end in its line. */
function openString({ pieces, lines }: SourcePieces, line: number, atEnd: boolean): Certain | null {
  for (const [at, { kind, text }] of pieces.entries()) {
    const own = lines[at] ?? 1;
    if (!atEnd && own > line) return null;
    if (kind === 'other' && text.startsWith('"') && (text.length === 1 || !text.endsWith('"')))
      return { line: own, said: `the string that begins in line ${own} has no closing \`"\`` };
  }
  return null;
}

const DIGITS: Readonly<Record<string, RegExp>> = {
  b: /[^01xz?_]/i,
  o: /[^0-7xz?_]/i,
  d: /[^\dxz?_]/i,
  h: /[^\da-fxz?_]/i,
};
const BASES: Readonly<Record<string, string>> = { b: 'binary', o: 'octal', d: 'decimal', h: 'hexadecimal' };

/** A number of a line with a digit that it cannot have, or with none. */
export function oddNumber({ pieces, lines }: SourcePieces, line: number): Certain | null {
  for (const [at, piece] of pieces.entries()) {
    if (lines[at] !== line) continue;
    const [, base, digits] = /^'[sS]?([bodhBODH])\s*([\w?]+)$/.exec(piece.text) ?? [];
    const shown = `${/^\d/.test(pieces[at - 1]?.text ?? '') ? pieces[at - 1]?.text : ''}${piece.text}`;
    if (base !== undefined && digits !== undefined) {
      const kind = base.toLowerCase();
      const name = piece.text.slice(1);
      if (
        pieces.some(({ kind, text }) => kind === 'directive' && /^`define\s+(\w+)/.exec(text)?.[1] === name)
      )
        return {
          line,
          said: `\`'${shortened(name)}\` is the macro \`\`${shortened(name)}\`: it has to begin with a back-tick, not with \`'\``,
        };
      const odd = DIGITS[kind]?.exec(digits)?.[0];
      if (odd !== undefined)
        return { line, said: `\`${shortened(shown)}\` is no number: \`${odd}\` is no ${BASES[kind]} digit` };
    }
    const next = pieces[at + 1];
    if (piece.text === "'" && next && /^[bodh]$/i.test(next.text) && next.start === piece.end)
      return {
        line,
        said: `the number \`${/^\d/.test(pieces[at - 1]?.text ?? '') ? pieces[at - 1]?.text : ''}'${next.text}\` has no digits`,
      };
  }
  return null;
}

/** The condition of the preprocessor that has no `endif`, or the `endif` that has no condition. */
export function unevenCondition({ pieces, lines }: SourcePieces): Certain | null {
  const open: { line: number; text: string }[] = [];
  for (const [at, { kind, text }] of pieces.entries()) {
    if (kind !== 'directive') continue;
    const line = lines[at] ?? 1;
    if (/^`ifn?def\b/.test(text)) open.push({ line, text });
    else if (/^`(?:endif|else|elsif)\b/.test(text)) {
      if (open.length === 0) return { line, said: `${shortened(text)} has no \`ifdef above it` };
      if (text.startsWith('`endif')) open.pop();
    }
  }
  const last = open.at(-1);
  return last ? { line: last.line, said: `${shortened(last.text)} has no \`endif` } : null;
}
