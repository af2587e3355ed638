import type { ToolFiles } from '../../tool-engine.ts';
import { PROJECT_FOLDER } from '../../tool-paths.ts';

/** Comments, strings, names and line ends of Verilog. */
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|\\\S+|[A-Za-z_][\w$]*|\n/g;

/** Line of the first mention by name, in the module that begins at a line. slang gives no places for signals. */
function mentionsFrom(text: string, line: number): ReadonlyMap<string, number> {
  const mentions = new Map<string, number>();
  let at = 1;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '\n') at++;
    else if (token.startsWith('/*')) at += token.split('\n').length - 1;
    else if (at < line || token.startsWith('//') || token.startsWith('"')) continue;
    else if (token === 'endmodule' || token === 'endinterface') break;
    else {
      const name = token.startsWith('\\') ? token.slice(1) : token;
      if (!mentions.has(name)) mentions.set(name, at);
    }
  }
  return mentions;
}

const MODULE_PLACE = /^attribute \\src "([^":|]+):(\d+)/;
const NAMED = /^ {2}(?:wire|memory) .*\\(\S+)$/;

/** `u0.count` is in an instance `u0` of a flat design; else in a block, a structure or an interface `u0`. */
const firstOf = (name: string) => name.replace(/[.[].*$/, '');
const lastOf = (name: string) => name.replace(/(?:\[\d+\])+$/, '').replace(/^.*\./, '');

/**
 * Gives each signal and memory of a design the line of its first mention in its module, which is its declaration.
 * @param rtlil modules with the attribute `src`, signals without it
 * @param files the sources, by the paths in `src`
 * @param isFlat whether instances were dissolved into their parents
 */
export function placeSignals(rtlil: string, files: ToolFiles, isFlat: boolean): string {
  const known = new Map<string, ReadonlyMap<string, number>>();
  const placed: string[] = [];
  let path = '';
  let mentions: ReadonlyMap<string, number> = new Map();
  let hasPlace = false;
  for (const line of rtlil.split('\n')) {
    const [, file, row] = MODULE_PLACE.exec(line) ?? [];
    if (file !== undefined) {
      path = file;
      const key = `${file}:${row}`;
      const text = files[file] ?? files[PROJECT_FOLDER + file];
      mentions = known.get(key) ?? mentionsFrom(typeof text === 'string' ? text : '', Number(row));
      known.set(key, mentions);
    } else if (line.startsWith('  attribute \\src ')) hasPlace = true;
    else if (!line.startsWith('  attribute ')) {
      const name = hasPlace ? undefined : NAMED.exec(line)?.[1];
      const at = name === undefined ? undefined : mentions.get(isFlat ? firstOf(name) : lastOf(name));
      if (at !== undefined) placed.push(`  attribute \\src "${path}:${at}.1-${at}.1"`);
      hasPlace = false;
    }
    placed.push(line);
  }
  return placed.join('\n');
}
