import { constant, quoted } from './module-writer.ts';
import { plainWord } from './names.ts';
import type { Gate, NetlistModule } from './netlist.ts';

/**
 * The values of the generics of an instance, as RTLIL has them, by name.
 * @returns null where they are not known
 */
export type GenericValues = (module: string, instance: Gate) => Readonly<Record<string, string>> | null;

/** `bb #(`, lines with a value each, `)`: an instance with values for its generics, as GHDL writes Verilog. */
const WITH_VALUES = /^ {2}(\S+) #\(\n((?: {4}\.\S+\(.*\),?\n?)+)\)?/gm;
const VALUE = /^ {4}\.(\S+?)\((?:(\d+)'s?b([01xz]+)|"")\)/gim;

const bitsPerCharacter = 8;

/** A number with a fraction, of the 64 bits that GHDL has of it. */
function realOf(bits: string): number {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigUint64(0, BigInt(`0b${bits}`));
  return bytes.getFloat64(0);
}

function genericOf(bits: string, type: string): string {
  if (type.endsWith('string')) {
    const codes = bits.match(/.{8}/g) ?? [];
    return quoted(codes.map((code) => String.fromCharCode(Number.parseInt(code, 2))).join(''));
  }
  if (type.endsWith('real') && bits.length === 8 * bitsPerCharacter)
    return `real ${quoted(String(realOf(bits)))}`;
  return constant(bits.toLowerCase()).text;
}

/** Whether a netlist has instances with values that it does not tell. */
export const hasGenerics = (modules: readonly NetlistModule[]): boolean =>
  modules.some(({ self, generics }) => self === null && generics.length > 0);

/**
 * The values of generics from the Verilog that GHDL writes of the same netlist, which tells them where the netlist says `generic`.
 * @param modules of that netlist
 * @param verilog as ISO 8859-1; null where no instance has generics
 */
export function genericValues(modules: readonly NetlistModule[], verilog: string | null): GenericValues {
  const byName = new Map(modules.map((module) => [module.name, module]));
  const texts = new Map<string, string>();
  for (const [text, name = ''] of (verilog ?? '').matchAll(/^module (\S+)[\s\S]*?^endmodule\b/gm))
    texts.set(name, text);
  const known = new Map<Gate, Readonly<Record<string, string>> | null>();
  for (const module of modules) {
    const instances = module.gates.filter(
      ({ kind }) => (byName.get(kind.slice(1))?.generics.length ?? 0) > 0,
    );
    if (instances.length === 0) continue;
    // Instances are in the same order in both.
    const found = [...(texts.get(module.name) ?? '').matchAll(WITH_VALUES)];
    for (const [at, gate] of instances.entries()) {
      const own = byName.get(gate.kind.slice(1));
      const [, , lines = ''] = found.length === instances.length ? (found[at] ?? []) : [];
      const values: Record<string, string> = {};
      for (const [, name = '', , bits = ''] of lines.matchAll(VALUE)) {
        const type = own?.generics.find((generic) => generic.name === name)?.type ?? '';
        values[plainWord(name)] = genericOf(bits, type);
      }
      known.set(gate, Object.keys(values).length === own?.generics.length ? values : null);
    }
  }
  return (_, instance) => (known.has(instance) ? (known.get(instance) ?? null) : {});
}
