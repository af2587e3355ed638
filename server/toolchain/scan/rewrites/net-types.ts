import { piecesOf } from '../outline-lexer.ts';

/**
 * Stands behind a source with `` `default_nettype none`` in a design with interfaces: what Yosys finds there that is declared nowhere
 * is wrong, unless it is a signal of an interface.
 */
const NETS_FOR_INTERFACES = '`default_nettype wire // signals of interfaces, which Yosys does not know yet';

/** The directives of a text that say what a name is that is declared nowhere. */
const directivesIn = (text: string): string[] =>
  text.includes('`default_nettype')
    ? piecesOf(text).flatMap(({ kind, text: said }) =>
        kind === 'directive' ? (/^`default_nettype\s+(\w+)/.exec(said)?.[1] ?? []) : [],
      )
    : [];

/**
 * Sources in SystemVerilog that end without `` `default_nettype none`` where the design has interfaces: what holds at the end of a
 * source holds for all of it in Yosys, and their signals are names that it does not know at first.
 */
export function withNetsForInterfaces(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\binterface\b/.test(text))) return [...texts];
  return texts.map((text) =>
    directivesIn(text).at(-1) === 'none'
      ? `${text}${text.endsWith('\n') ? '' : '\n'}${NETS_FOR_INTERFACES}\n`
      : text,
  );
}

/** Whether a source wants a declaration of every name, itself or by what it includes. @param texts of all files by their paths */
export const wantsDeclarations = (text: string, texts: ReadonlyMap<string, string>): boolean =>
  text.includes(NETS_FOR_INTERFACES) ||
  (directivesIn(text).length === 0 &&
    [...texts].some(([path, other]) => text.includes(`"${path}"`) && other.includes(NETS_FOR_INTERFACES)));
