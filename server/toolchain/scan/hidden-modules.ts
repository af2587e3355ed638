import type { Diagnostic } from '../../contract/diagnostics.ts';
import { tokenize } from './lexer.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import { PreprocessorState } from './preprocessor.ts';
import { reportedName } from './tool-paths.ts';

/**
 * Why a design has no module although its text has some: they stand behind conditions of the preprocessor that nothing makes true.
 * Null where that is not so.
 */
export function hiddenModules(source: PreparedDesign): Diagnostic | null {
  const texts = source.units.map((path) => ({ path, text: String(source.files[path] ?? '') }));
  const defined = texts.flatMap(({ text }) =>
    [...text.matchAll(/`define\s+(\w+)/g)].map(([, name = '']) => name),
  );
  const hidden = texts.flatMap(({ path, text }) => hiddenIn(text, defined).map((one) => ({ ...one, path })));
  const [first, ...others] = hidden;
  if (!first) return null;
  const more = others.length > 0 ? ` and ${others.length} more are` : ' is';
  return {
    severity: 'error',
    code: 'design_no_slave',
    message: `the source defines no module: ${first.name}${more} left out by \`${first.condition}, and that name is not defined there; define it at the top of the file`,
    ...inUpload({ file: reportedName(first.path), line: first.line }, source),
    module: first.name,
  };
}

interface Hidden {
  name: string;
  line: number;
  /** The condition around it, as it stands in the source. */
  condition: string;
}

function hiddenIn(text: string, defined: readonly string[]): Hidden[] {
  const state = new PreprocessorState(defined);
  const hidden: Hidden[] = [];
  // The conditions around a place; null for one that holds, or does not matter.
  const conditions: (string | null)[] = [];
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'newline' && kind !== 'comment');
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if (token.kind === 'directive') {
      const read = state.active;
      state.directive(token, next);
      if (/^`(?:ifdef|ifndef)$/.test(token.text))
        conditions.push(
          read && !state.active && token.text === '`ifdef' ? `ifdef ${next?.text ?? ''}` : null,
        );
      else if (token.text === '`endif') conditions.pop();
    } else if (token.text === 'module' && token.kind === 'word' && !state.active) {
      const condition = conditions.find((one) => one !== null);
      if (condition && next?.kind === 'word') hidden.push({ name: next.text, line: token.line, condition });
    }
  }
  return hidden;
}
