import type { Language } from '../../contract/designs/uploads.ts';

/** How sources of a language are told from others. */
interface SourceForm {
  language: Language;
  /** Of file names, without the dot; the first is given to a source that has none of them. */
  extensions: readonly string[];
  /** For people. */
  title: string;
  /** What only a text of this language has; absent where another form stands for it. */
  looksLike?: RegExp;
  /** Comments, with all flags but `g`. */
  comment: RegExp;
}

const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;

/** Every form of sources. What reads them is in frontends/. */
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

/** The language that the extension of a file name says, without regard to case; undefined for any other. */
export function languageOfName(filename: string): Language | undefined {
  const extension = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase();
  return SOURCE_FORMS.find(({ extensions }) => extension !== undefined && extensions.includes(extension))
    ?.language;
}

/** The language that a text looks like; undefined where it is none. */
export const languageOfText = (text: string): SourceForm | undefined =>
  SOURCE_FORMS.find(({ looksLike }) => looksLike?.test(text));

/** The form of a language's sources. */
export function formOf(language: Language): SourceForm {
  const found = SOURCE_FORMS.find((form) => form.language === language);
  if (!found) throw new Error(`no source has the language ${language}`);
  return found;
}
