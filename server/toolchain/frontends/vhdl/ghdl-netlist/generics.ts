import { constant, quoted } from './module-writer.ts';
import { plainWord } from './names.ts';
import type { Gate, NetlistModule } from './netlist.ts';

/**
 * Values of an instance's generics in RTLIL, by name.
 * @returns null when they are unknown
 */
export type GenericValues = (module: string, instance: Gate) => Readonly<Record<string, string>> | null;

/** An instance with values for its generics in GHDL's Verilog: `bb #(`, one value a line, `)`. */
const WITH_VALUES = /^ {2}(\S+) #\(\n((?: {4}\.\S+\(.*\),?\n?)+)\)?/gm;
const VALUE = /^ {4}\.(\S+?)\((?:(\d+)'s?b([01xz]+)|"")\)/gim;

const bitsPerCharacter = 8;

/** Decodes a real number from its 64 bits. */
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

/** Whether a netlist has instances whose generics' values it does not show. */
export const hasGenerics = (modules: readonly NetlistModule[]): boolean =>
  modules.some(({ self, generics }) => self === null && generics.length > 0);

/**
 * Reads the values of generics from GHDL's Verilog of the same netlist; the netlist only says `generic`.
 * @param modules of that netlist
 * @param verilog as ISO 8859-1; null when no instance has generics
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
    // Both forms have the instances in the same order.
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
