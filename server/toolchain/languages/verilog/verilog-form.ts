import { inDependencyOrder, verilogUnit } from '../dependency-order.ts';
import { PLAIN_FORM, type SourceForm } from '../source-form.ts';
import { declaredIn } from './declared-units.ts';
import { COMMENT } from './outline-lexer.ts';
import { verilogTestbenches } from './verilog-testbenches.ts';

/** Whether a text has modules or the like. Files with macros only are read first. */
export const hasUnits = (text: string) => /\b(?:module|package|interface|primitive)\b/.test(text);

/** slang reads both languages, and the sources of a project together. */
const BOTH = {
  ...PLAIN_FORM,
  group: 'verilog',
  comment: COMMENT,
  hasIncludes: true,
  testbenches: verilogTestbenches,
  declares: declaredIn,
  inOrder: (sources) => [
    ...sources.filter(({ text }) => !hasUnits(text)).map(({ path }) => path),
    ...inDependencyOrder(
      sources.filter(({ text }) => hasUnits(text)).map(({ path, text }) => verilogUnit(path, text)),
    ),
  ],
} satisfies Partial<SourceForm>;

export const VERILOG_FORM: SourceForm = {
  ...BOTH,
  language: 'verilog',
  extensions: ['v', 'vh', 'verilog'],
  title: 'Verilog',
  looksLike: /\bendmodule\b/,
};

export const SYSTEMVERILOG_FORM: SourceForm = {
  ...BOTH,
  language: 'systemverilog',
  extensions: ['sv', 'svh'],
  title: 'SystemVerilog',
};
