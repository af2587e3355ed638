import { inDependencyOrder, vhdlUnit } from '../dependency-order.ts';
import type { SourceForm } from '../source-form.ts';
import { withFailingFiles } from './rewrites/vhdl-file-calls.ts';
import { withoutFileParts } from './rewrites/vhdl-file-parts.ts';
import { inOneLibrary } from './rewrites/vhdl-libraries.ts';
import { neutraliseVhdl } from './vhdl.ts';
import { vhdlTestbenches } from './vhdl-testbenches.ts';
import { isFragment } from './vhdl-units.ts';

/** VHDL: GHDL translates all sources of a project together. */
export const VHDL_FORM: SourceForm = {
  language: 'vhdl',
  group: 'vhdl',
  extensions: ['vhd', 'vhdl'],
  title: 'VHDL',
  looksLike: /^[ \t]*entity\s+\w+\s+is\b/im,
  comment: /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
  unitWord: 'entity',
  hasIncludes: false,
  testbenches: vhdlTestbenches,
  rewrite: (texts, notes) => withoutFileParts(inOneLibrary(texts, notes), notes).map(withFailingFiles),
  neutralise: neutraliseVhdl,
  isFragment,
  declares: (text) => vhdlUnit('', text).declares,
  inOrder: (sources) => inDependencyOrder(sources.map(({ path, text }) => vhdlUnit(path, text))),
};
