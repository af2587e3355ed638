import type { Language } from '../../contract/designs/uploads.ts';
import { PLAIN_FORM, type SourceForm } from './source-form.ts';
import { SYSTEMVERILOG_FORM, VERILOG_FORM } from './verilog/verilog-form.ts';
import { VHDL_FORM } from './vhdl/vhdl-form.ts';

/** Python programs that describe a design with Amaranth: single files. */
const AMARANTH_FORM: SourceForm = {
  ...PLAIN_FORM,
  language: 'amaranth',
  group: 'amaranth',
  extensions: ['py'],
  title: 'Amaranth',
  looksLike: /^(?:from|import)\s+amaranth\b/m,
  comment: /#[^\n]*/,
};

/** All forms of sources. The front ends are in frontends/. */
export const SOURCE_FORMS: SourceForm[] = [VERILOG_FORM, SYSTEMVERILOG_FORM, VHDL_FORM, AMARANTH_FORM];

/** The language of a file extension, in any case; undefined for an unknown one. */
export function languageOfName(filename: string): Language | undefined {
  const extension = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase();
  return SOURCE_FORMS.find(({ extensions }) => extension !== undefined && extensions.includes(extension))
    ?.language;
}

/** The language that a text looks like; undefined for none. */
export const languageOfText = (text: string): SourceForm | undefined =>
  SOURCE_FORMS.find(({ looksLike }) => looksLike?.test(text));

/** The form of a language. */
export function formOf(language: Language): SourceForm {
  const found = SOURCE_FORMS.find((form) => form.language === language);
  if (!found) throw new Error(`no source has the language ${language}`);
  return found;
}

/** Whether a front end translates sources of this language; others are read as Verilog. */
export const isTranslated = ({ language }: { language: Language }): boolean =>
  formOf(language).group !== VERILOG_FORM.group;
