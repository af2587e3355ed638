import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { withoutComments } from '../../languages/verilog/outline-lexer.ts';
import type { ToolFiles } from '../../tool-engine.ts';
import { reportedName } from '../../tool-paths.ts';
import { textOf } from './copies.ts';

/** slang's option for a warning wherever a value is extended after it is computed. */
const WARN = '-Wwidth-expand';
const EXTENDED = /^implicit conversion expands from (\d+) to (\d+) bits$/;

/** The option, for a design with enums. */
export const enumWidthOptions = (files: ToolFiles): string[] =>
  Object.keys(files).some((path) => /\benum\b/.test(textOf(files, path))) ? [WARN] : [];

/** A group without others in it. */
const GROUP = /\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/g;
/** Operators whose result needs more bits than their operands; not `~&` and the like, which give one bit. */
const GROWS = /(?<!^)[-+*]|^-|~(?![&|^])/;
/** Of a shift or a power slang extends the left operand by itself, with the same warning for any target. */
const IS_UNCLEAR = /<<|>>|\*\*/;
const GIVES_TRUTH = /[=!]=|&&|\|\||[<>!]/;

/** The expression at the beginning of a text, with `_` for what is in brackets. */
function outerOf(text: string): string {
  let [outer, before] = [text, ''];
  while (outer !== before) [before, outer] = [outer, outer.replace(GROUP, '_')];
  return /^[^;,?:)\]}]*/.exec(outer)?.[0].trim() ?? '';
}

/** Whether the expression at the beginning of a text has other bits when its operands are extended first. */
function grows(text: string): boolean {
  const outer = outerOf(text);
  const own = outer === '_' && text.startsWith('(') ? outerOf(text.slice(1)) : outer;
  return GROWS.test(own) && !IS_UNCLEAR.test(own) && !GIVES_TRUTH.test(own);
}

/**
 * Replaces slang's warnings of extended values by one where it matters. The standard forbids a value without a cast for
 * an enum. Other tools compute it with the bits of the enum, slang with those of its operands: `next = ~a` is another
 * value if `a` is narrower. For any other target slang extends the operands, and warns only of values as they are.
 */
export const withEnumWidths = (diagnostics: readonly Diagnostic[], files: ToolFiles): Diagnostic[] =>
  diagnostics.flatMap((one) => {
    const [, from, to] = EXTENDED.exec(one.message) ?? [];
    if (from === undefined) return [one];
    const path = Object.keys(files).find((name) => reportedName(name) === one.file) ?? '';
    const lines = textOf(files, path)
      .split('\n')
      .slice((one.line ?? 1) - 1);
    const text = [lines[0]?.slice((one.column ?? 1) - 1), ...lines.slice(1, 20)].join('\n');
    if (!grows(withoutComments(text))) return [];
    const message = `slang computes this value with ${from} bit${from === '1' ? '' : 's'} before it becomes an enum of ${to} bits: write a cast of an operand and one of the value, such as state_t'(${to}'(a) + b)`;
    return [{ ...one, message }];
  });
