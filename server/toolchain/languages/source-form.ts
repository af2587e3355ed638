import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';

/** A part of a source: a module or a design unit. */
export interface Unit {
  name: string;
  line: number;
  /** Offsets of its text; `end` is after the last character. */
  start: number;
  end: number;
}

/** Testbenches of a source, whether it has nothing else, and the parts that belong to them. */
export interface Testbenches {
  benches: readonly Unit[];
  isOnlyTestbench: boolean;
  /** Parts that can be removed without an effect on the text after them. */
  parts: readonly Unit[];
}

/** A source of a project, decoded. */
export interface SourceText {
  path: string;
  language: Language;
  text: string;
}

/** One language of sources: how it is recognised, and what happens to it before its front end reads it. */
export interface SourceForm {
  language: Language;
  /** File extensions without the dot. The first is added to a source without one. */
  extensions: readonly string[];
  /** Name for users. */
  title: string;
  /** Text that only this language has; absent when another form covers it. */
  looksLike?: RegExp;
  /** Comments, without the flag `g`. */
  comment: RegExp;
  /**
   * Sources of one group are read together. Those of the group `verilog` are read as they are; the front end of another
   * group translates.
   */
  group: Language;
  /** The field's word for a unit of a design. */
  unitWord: string;
  /** Sources have `include` directives. */
  hasIncludes: boolean;
  /** @param onlyCertain only what ends a simulation marks a testbench */
  testbenches(text: string, onlyCertain: boolean): Testbenches;
  /** Rewrites constructs that the tools do not read, in the same lines. @param notes receives the changes */
  rewrite(texts: readonly string[], notes: string[]): readonly string[];
  /** Makes a text safe to read; with errors no tool may read it. */
  neutralise(text: string, file: string): { text: string; diagnostics: Diagnostic[] };
  /** Whether a text has code and no unit: it is a fragment for another source. */
  isFragment(text: string): boolean;
  /** Names that a source declares. */
  declares(text: string): Iterable<string>;
  /** Paths of sources of the group, in reading order. */
  inOrder(sources: readonly SourceText[]): string[];
}

/** A form without anything to do: the front end reads single sources as they are. */
export const PLAIN_FORM: Omit<SourceForm, 'language' | 'extensions' | 'title' | 'comment' | 'group'> = {
  unitWord: 'module',
  hasIncludes: false,
  testbenches: () => ({ benches: [], isOnlyTestbench: false, parts: [] }),
  rewrite: (texts) => texts,
  neutralise: (text) => ({ text, diagnostics: [] }),
  isFragment: () => false,
  declares: () => [],
  inOrder: (sources) => sources.map(({ path }) => path),
};
