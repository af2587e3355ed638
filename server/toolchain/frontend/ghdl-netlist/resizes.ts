import { tokenFrom, type VhdlSource, vhdlSource } from '../../scan/vhdl-places.ts';
import type { NetlistModule } from './netlist.ts';

/**
 * A netlist in which those gates are marked that cut a signed number as `resize` of numeric_std does: it keeps the sign, and
 * `to_signed` does not. GHDL has one gate for both, up to its release 6; its place is that of the call.
 * @param texts of the sources, by the paths that GHDL was given
 */
export function withResizes(
  modules: readonly NetlistModule[],
  texts: ReadonlyMap<string, string>,
): NetlistModule[] {
  const sources = new Map<string, VhdlSource>();
  const isResize = (file: string, line: number, column: number): boolean => {
    const text = texts.get(file);
    if (text === undefined) return false;
    const source = sources.get(file) ?? vhdlSource(text);
    sources.set(file, source);
    let at = tokenFrom(source, line, column);
    // `ieee.numeric_std.resize`, which may begin at any of its words.
    while (source.tokens[at + 1]?.text === '.') at += 2;
    if (source.tokens[at]?.text === '.') at++;
    return source.tokens[at]?.text === 'resize';
  };
  return modules.map((module) => ({
    ...module,
    gates: module.gates.map((gate) => {
      const { file, line, column } = gate.place;
      return gate.kind === '$strunc' && file !== undefined && isResize(file, line ?? 0, column ?? 0)
        ? { ...gate, isResize: true }
        : gate;
    }),
  }));
}
