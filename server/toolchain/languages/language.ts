import type { Language } from '../../contract/designs/uploads.ts';

/** How sources of a language are recognised. */
interface SourceForm {
  language: Language;
  /** File extensions without the dot. The first is added to a source without one. */
  extensions: readonly string[];
  /** Name for users. */
  title: string;
  /** Text that only this language has; absent when another form covers it. */
  looksLike?: RegExp;
  /** Comments, without the flag `g`. */
  comment: RegExp;
}

const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;

/** All forms of sources. The front ends are in frontends/. */
export const SOURCE_FORMS: SourceForm[] = [
  {
    language: 'verilog',
    extensions: ['v', 'vh', 'verilog'],
    title: 'Verilog',
    looksLike: /\bendmodule\b/,
    comment: SLASHES,
  },
  { language: 'systemverilog', extensions: ['sv', 'svh'], title: 'SystemVerilog', comment: SLASHES },
  {
    language: 'vhdl',
    extensions: ['vhd', 'vhdl'],
    title: 'VHDL',
    looksLike: /^[ \t]*entity\s+\w+\s+is\b/im,
    comment: /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
  },
  {
    language: 'amaranth',
    extensions: ['py'],
    title: 'Amaranth',
    looksLike: /^(?:from|import)\s+amaranth\b/m,
    comment: /#[^\n]*/,
  },
];

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
