import { someOf } from '../../../diagnostics/text.ts';
import { vhdlUnit } from '../../dependency-order.ts';
import { tokenizeVhdl, type VhdlToken } from '../vhdl-lexer.ts';

/** Libraries of every tool. */
const COMMON = new Set(['ieee', 'std', 'work']);

/** Libraries with cells of FPGA makers, and attributes of their tools. */
const VENDORS =
  /^(?:unisims?|unimacro|xpm|xilinxcorelib|simprims?|secureip|altera(?:_\w+)?|lpm|cyclone\w*|stratix\w*|arria\w*|ecp\d\w*|machxo\w*|lifcl|ice40\w*|sb_ice40\w*|lattice|gowin|gw\dn?\w*|syn(?:plify|opsys)|smartfusion\w*|igloo\w*|polarfire\w*|proasic\w*)$/;

/** Packages of VHDL-2008 that older sources have in separate libraries. */
const PROPOSED = /^(?:ieee_proposed|floatfixlib)$/;

/** Libraries of a source: its own become `work`, proposed ones `ieee`, vendors' are removed. */
interface Libraries {
  own: ReadonlySet<string>;
  proposed: ReadonlySet<string>;
  vendor: ReadonlySet<string>;
  /** Units of all sources. */
  units: ReadonlySet<string>;
}

const isGap = ({ kind }: VhdlToken) => kind === 'space' || kind === 'comment';

/** The next token that is neither space nor comment. */
function nextToken(tokens: readonly VhdlToken[], at: number): number {
  let next = at + 1;
  while (next < tokens.length && isGap(tokens[next] as VhdlToken)) next++;
  return next;
}

const wordAt = (tokens: readonly VhdlToken[], at: number) => tokens[at]?.text.toLowerCase() ?? '';

/** Index of the `;` that ends a clause. */
function clauseEnd(tokens: readonly VhdlToken[], at: number): number {
  let end = at;
  while (end < tokens.length && tokens[end]?.text !== ';') end++;
  return end;
}

/** Limits of clauses of one kind in a source, and of libraries. */
const MAX_CLAUSES = 1000;
const MAX_LIBRARIES = 50;

/** Indices of clauses that begin with a word. */
function clausesOf(tokens: readonly VhdlToken[], word: string): number[] {
  let before = ';';
  return tokens
    .flatMap((token, at) => {
      if (isGap(token)) return [];
      const first = before === ';';
      before = token.text.toLowerCase();
      return first && before === word ? [at] : [];
    })
    .slice(0, MAX_CLAUSES);
}

/** Libraries that a source names. */
function namedIn(tokens: readonly VhdlToken[]): string[] {
  return clausesOf(tokens, 'library').flatMap((at) =>
    tokens
      .slice(at + 1, clauseEnd(tokens, at))
      .filter(({ kind }) => kind === 'word')
      .map(({ text }) => text.toLowerCase()),
  );
}

/** Whether a source names one of these units in a library. */
function hasUnitOf(
  library: string,
  all: readonly (readonly VhdlToken[])[],
  units: ReadonlySet<string>,
): boolean {
  return all.some((tokens) =>
    tokens.some((token, at) => {
      const dot = token.text.toLowerCase() === library ? nextToken(tokens, at) : -1;
      return dot > 0 && tokens[dot]?.text === '.' && units.has(wordAt(tokens, nextToken(tokens, dot)));
    }),
  );
}

/**
 * Puts all units into one library, `work`, whatever library the sources name. Line numbers do not change. Libraries of FPGA
 * makers are removed: many sources name them without use.
 * @param notes receives the removed libraries
 */
export function inOneLibrary(texts: readonly string[], notes: string[]): string[] {
  const all = texts.map(tokenizeVhdl);
  const named = new Set(
    [...new Set(all.flatMap(namedIn))].filter((name) => !COMMON.has(name)).slice(0, MAX_LIBRARIES),
  );
  if (named.size === 0) return [...texts];
  const units = new Set(texts.flatMap((text) => [...vhdlUnit('', text).declares]));
  const own = new Set<string>();
  const proposed = new Set<string>();
  const vendor = new Set<string>();
  for (const name of named) {
    const elsewhere = VENDORS.test(name) ? vendor : PROPOSED.test(name) ? proposed : own;
    (elsewhere !== own && hasUnitOf(name, all, units) ? own : elsewhere).add(name);
  }
  if (vendor.size > 0)
    notes.push(
      `${someOf([...vendor])}: the bench does not have ${vendor.size > 1 ? 'these libraries' : 'this library'}; its uses are removed`,
    );
  return all.map((tokens) => rewritten(tokens, { own, proposed, vendor, units }));
}

function rewritten(tokens: readonly VhdlToken[], { own, proposed, vendor, units }: Libraries): string {
  const pieces = tokens.map(({ text }) => text);
  const clear = (from: number, to: number) => {
    for (let at = from; at <= to; at++) pieces[at] = (pieces[at] ?? '').replace(/[^\n]/g, ' ');
  };
  for (const at of clausesOf(tokens, 'library')) {
    const end = clauseEnd(tokens, at);
    const all = namedIn(tokens.slice(at, end)).map((name) => (proposed.has(name) ? 'ieee' : name));
    const common = [...new Set(all)].filter((name) => COMMON.has(name));
    clear(at, end);
    if (common.length > 0) pieces[at] = `library ${common.join(', ')};`;
  }
  for (const at of clausesOf(tokens, 'use'))
    if (vendor.has(wordAt(tokens, nextToken(tokens, at)))) clear(at, clauseEnd(tokens, at));
  let before = '';
  for (const [at, token] of tokens.entries()) {
    if (isGap(token)) continue;
    const name = token.text.toLowerCase();
    const dot = own.has(name) || proposed.has(name) ? nextToken(tokens, at) : -1;
    if (dot > 0 && tokens[dot]?.text === '.' && before !== '.') {
      const unit = wordAt(tokens, nextToken(tokens, dot));
      // A signal may have the name of a library.
      const isLibrary =
        units.has(unit) || /^(?:use|entity|configuration|context)$/.test(before) || proposed.has(name);
      if (isLibrary) pieces[at] = (own.has(name) ? 'work' : 'ieee').padEnd(name.length);
    }
    before = name;
  }
  return pieces.join('');
}
