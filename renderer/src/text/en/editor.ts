import { counted } from './counted.ts';

/** The source editor. */
export const editor = {
  keys: {
    group: 'In a source',
    complete: 'Complete the word',
    declaration: 'Go to the declaration',
    rename: 'Rename in the file',
    format: 'Indent the source',
    nextProblem: 'Next message',
    previousProblem: 'Previous message',
  },
  kinds: { module: 'module', port: 'port', signal: 'signal', memory: 'memory', instance: 'instance' },
  directions: { input: 'input', output: 'output', inout: 'inout' },
  bits: (width: number) => counted(width, 'bit'),
  memory: (words: number, width: number) => `${counted(words, 'word')} of ${counted(width, 'bit')}`,
  instanceOf: (module: string) => `instance of ${module}`,
  inModule: (module: string) => `in ${module}`,
  declared: (file: string | undefined, line: number) =>
    file === undefined ? `Declared in line ${line}` : `Declared in ${file}, line ${line}`,
  template: 'template',
  note: (file: string | undefined, line: number | undefined, message: string) =>
    line === undefined ? message : `${file === undefined ? '' : `${file}, `}line ${line}: ${message}`,
  problem: {
    place: (line: number) => `Line ${line}`,
    none: 'There are no messages in this file.',
  },
  rename: {
    label: (name: string) => `New name of ${name}`,
    rename: 'Rename',
    places: (count: number, scope: 'module' | 'file') => `${counted(count, 'place')} in this ${scope}`,
    nothing: 'Put the cursor on a name of this file, then rename it.',
    problems: {
      invalid: 'A name begins with a letter, then letters, digits and _.',
      keyword: 'This is a keyword of the language. Choose another name.',
      taken: 'This name is in use here. Choose another one.',
    },
  },
  format: {
    done: 'The source is indented.',
    notHere: 'Only Verilog and SystemVerilog can be indented.',
    unmatched: 'The source is unchanged: its blocks or brackets do not match.',
  },
  /** The search panel. */
  search: {
    next: 'Next',
    previous: 'Previous',
    selectAll: 'Select all',
    matchCase: 'Match case',
    regularExpression: 'Regular expression',
    wholeWord: 'Whole word',
    replace: 'Replace',
    replaceAll: 'Replace all',
  },
};
