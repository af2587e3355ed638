import { Edits, type Token, tokenize } from '../lexer.ts';

/** A comment that says how a `case` is to be built. */
const HOT = /^\/[/*]\s*(?:synopsys|synthesis)\s+.*\b(?:full|parallel)_case\b/;
const CASE = /^case[xz]?$/;
/** Tokens between `case` and the end of its brackets that are looked at. */
const LONGEST_HEAD = 500;

/** Whether the bracket that ends before an index is the one behind `case`. */
function endsCaseHead(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.text !== ')') return false;
  let depth = 0;
  for (let open = at; open >= 0 && open > at - LONGEST_HEAD; open--) {
    const { text } = tokens[open] as Token;
    if (text === ')') depth++;
    if (text === '(' && --depth === 0) return CASE.test(tokens[open - 1]?.text ?? '');
  }
  return false;
}

/**
 * A source in which comments for a `case` stand where Yosys reads them: behind its head they stay; in front of a `case`, where
 * MyHDL writes them, they become attributes of it; anywhere else they are no more than comments. Lines stay what they are.
 */
export function withCaseAttributes(text: string): string {
  if (!/\b(?:full|parallel)_case\b/.test(text)) return text;
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'newline');
  const code = tokens.filter(({ kind }) => kind !== 'comment');
  const edits = new Edits();
  let before = -1;
  for (const token of tokens) {
    if (token.kind !== 'comment') {
      before++;
      continue;
    }
    if (!HOT.test(token.text)) continue;
    const next = code[before + 1];
    const last = code[before];
    // The lexer has no token for most punctuation: what stands between is to be looked at.
    const behindHead =
      last !== undefined && text.slice(last.end, token.start).trim() === '' && endsCaseHead(code, before);
    if (behindHead) continue;
    const words = [...new Set(token.text.match(/\b(?:full|parallel)_case\b/g) ?? [])];
    edits.replace(token.start, token.end, CASE.test(next?.text ?? '') ? `(* ${words.join(', ')} *)` : ' ');
  }
  return edits.apply(text);
}
