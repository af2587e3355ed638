import { afterBrackets, find, partAt, type VhdlPart } from './vhdl-bodies.ts';
import type { VhdlToken } from './vhdl-lexer.ts';
import { type VhdlSource, vhdlDeclarations } from './vhdl-places.ts';
import { vhdlUnits } from './vhdl-units.ts';

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
    const isPort = portsOf(tokens);
    for (const { name, at, kind, mode, type } of vhdlDeclarations(source)) {
      const end = find(tokens, type, ';', ':', ')', 'is');
      const text = (end < tokens.length ? tokens.slice(type, end) : []).map((token) => token.text).join(' ');
      if (kind === 'signal' || isPort(at)) of[at]?.signals.set(name, text);
      else if (kind === 'variable' || mode === 'inout') of[at]?.variables.set(name, text);
    }
    const word = (at: number) => tokens[at]?.text ?? '';
    for (const [at, { text }] of tokens.entries()) {
      if (text === 'for') of[at]?.variables.set(word(at + 1), '');
      if (text !== 'alias') continue;
      const is = find(tokens, at, 'is', ';');
      const part = /^[.(]$/.test(word(is + 2)) ? partAt(tokens, is + 2) : null;
      of[at]?.aliases.set(word(at + 1), { of: word(is + 1), part });
    }
    return { text, tokens, namesAt: (token) => of[token] ?? nowhere };
  });
}

/** Whether a token is in the ports of an entity, not of a component. */
function portsOf(tokens: readonly VhdlToken[]): (at: number) => boolean {
  const ports = new Set<number>();
  let isComponent = false;
  for (const [at, { text }] of tokens.entries()) {
    if (text === 'component') isComponent = tokens[at - 1]?.text !== 'end';
    if (text !== 'port' || tokens[at + 1]?.text !== '(' || isComponent || ports.has(at)) continue;
    const end = afterBrackets(tokens, at + 1);
    for (let port = at + 2; port < end; port++) ports.add(port);
  }
  return (at) => ports.has(at);
}
