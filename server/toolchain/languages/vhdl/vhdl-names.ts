import { afterBrackets, find, partAt, type VhdlPart } from './vhdl-bodies.ts';
import type { VhdlToken } from './vhdl-lexer.ts';
import type { VhdlSource } from './vhdl-places.ts';
import { vhdlUnits } from './vhdl-units.ts';

const MODES = /^(?:in|out|inout|buffer|linkage)$/;

/** The type that a declaration gives a name. */
function typeOf(tokens: readonly VhdlToken[], declaration: number): string {
  let from = find(tokens, declaration, ':') + 1;
  while (MODES.test(tokens[from]?.text ?? '')) from++;
  const type = tokens.slice(from, find(tokens, from, ';', ':', ')', 'is'));
  return type.map(({ text }) => text).join(' ');
}

/** Names that an entity with its architectures, or a package, declares, in lower case. */
export interface VhdlNames {
  /** Types of signals, as their sources have them, with a space between tokens. */
  signals: Map<string, string>;
  /** The same of variables, and of the parameters of loops, which have none. */
  variables: Map<string, string>;
  /** By the name of an alias: what it names, or of what it names a part. */
  aliases: Map<string, { of: string; part: VhdlPart | null }>;
}

/** A source with what it declares. */
export interface DeclaringSource extends VhdlSource {
  /** Indexes of the tokens that declare a signal, variable or parameter, by name. */
  declarations: ReadonlyMap<string, readonly number[]>;
  /** The names that count for a token. */
  namesAt(token: number): VhdlNames;
}

/** Reads what sources declare. An entity and its architecture may be in two of them. */
export function withNames(sources: readonly VhdlSource[]): DeclaringSource[] {
  const byUnit = new Map<string, VhdlNames>();
  return sources.map((source) => {
    const { text, tokens } = source;
    const units = vhdlUnits(text);
    let unit = 0;
    const of = tokens.map(({ start }) => {
      while ((units[unit]?.end ?? Number.POSITIVE_INFINITY) <= start) unit++;
      const name = units[unit]?.name ?? '';
      const names = byUnit.get(name) ?? { signals: new Map(), variables: new Map(), aliases: new Map() };
      byUnit.set(name, names);
      return names;
    });
    const nowhere: VhdlNames = { signals: new Map(), variables: new Map(), aliases: new Map() };
    const declarations = new Map<string, number[]>();
    const declare = (kind: 'signals' | 'variables', places: readonly number[]) => {
      for (const at of places) {
        const name = tokens[at]?.text ?? '';
        of[at]?.[kind].set(name, typeOf(tokens, at));
        if (!declarations.get(name)?.push(at)) declarations.set(name, [at]);
      }
    };
    const word = (at: number) => tokens[at]?.text ?? '';
    let isComponent = false;
    for (const [at, { text }] of tokens.entries()) {
      if (text === 'component') isComponent = word(at - 1) !== 'end';
      if (text === 'signal') declare('signals', listed(tokens, at + 1));
      if (text === 'variable' || text === 'for') declare('variables', listed(tokens, at + 1));
      if (text === 'inout' && word(at - 1) === ':') declare('variables', listedBefore(tokens, at - 1));
      if (text === 'port' && word(at + 1) === '(' && !isComponent)
        declare('signals', portsIn(tokens, at + 1));
      if (text !== 'alias') continue;
      const is = find(tokens, at, 'is', ';');
      const part = /^[.(]$/.test(word(is + 2)) ? partAt(tokens, is + 2) : null;
      of[at]?.aliases.set(word(at + 1), { of: word(is + 1), part });
    }
    return { text, tokens, declarations, namesAt: (token) => of[token] ?? nowhere };
  });
}

/** Indexes of the names of `a, b : bit`. */
function listed(tokens: readonly VhdlToken[], first: number): number[] {
  const names = [first];
  for (let at = first; tokens[at + 1]?.text === ','; at += 2) names.push(at + 2);
  return names;
}

/** Indexes of the names before a colon. */
function listedBefore(tokens: readonly VhdlToken[], colon: number): number[] {
  const names = [colon - 1];
  for (let at = colon - 1; tokens[at - 1]?.text === ','; at -= 2) names.push(at - 2);
  return names;
}

/** Indexes of the names of `(a : in bit; b, c : out bit)`. */
function portsIn(tokens: readonly VhdlToken[], bracket: number): number[] {
  const names: number[] = [];
  const end = afterBrackets(tokens, bracket);
  for (let at = bracket + 1; at < end; at = afterBrackets(tokens, at))
    if (/^[,:]$/.test(tokens[at + 1]?.text ?? '')) names.push(at);
  return names;
}
