import { PLAIN_FORM, type SourceForm } from './source-form.ts';

/** Python programs that describe a design with Amaranth: single files. */
export const AMARANTH_FORM: SourceForm = {
  ...PLAIN_FORM,
  language: 'amaranth',
  group: 'amaranth',
  extensions: ['py'],
  title: 'Amaranth',
  looksLike: /^(?:from|import)\s+amaranth\b/m,
  comment: /#[^\n]*/,
};
