import Type, { type Static } from 'typebox';
import { checkOf, parseAs } from '../contract/check.ts';

/** Bits of a netlist: numbers of its own, or constants. Source: Yosys, `help write_json`. */
const Bits = Type.Array(Type.Union([Type.Integer(), Type.String()]));
const Attributes = Type.Record(Type.String(), Type.Unknown());

const Cell = Type.Object({
  type: Type.String(),
  parameters: Type.Optional(Attributes),
  attributes: Type.Optional(Attributes),
  port_directions: Type.Optional(Type.Record(Type.String(), Type.String())),
  connections: Type.Record(Type.String(), Bits),
});
export type NetlistCell = Static<typeof Cell>;

const NetName = Type.Object({
  hide_name: Type.Optional(Type.Integer()),
  bits: Bits,
  offset: Type.Optional(Type.Integer()),
  upto: Type.Optional(Type.Integer()),
  attributes: Type.Optional(Attributes),
});
export type NetName = Static<typeof NetName>;
/** A bit of a net; undefined beyond its width. */
export type NetBit = NetName['bits'][number] | undefined;

const Netlist = Type.Object({
  attributes: Type.Optional(Attributes),
  cells: Type.Record(Type.String(), Cell),
  netnames: Type.Record(Type.String(), NetName),
});
/** A flat netlist, as Yosys (`write_json`) and nextpnr (`--write`) write it. */
export type Netlist = Static<typeof Netlist>;
const isNetlistFile = checkOf(Type.Object({ modules: Type.Record(Type.String(), Netlist) }));

/** The only module of a flat netlist, or the one marked as the top; null for any other text. */
export function readNetlist(text: string): Netlist | null {
  const file = parseAs(text, isNetlistFile);
  if (!file) return null;
  const modules = Object.values(file.modules);
  const marked = modules.find(({ attributes }) => attributes?.['top'] !== undefined);
  return marked ?? (modules.length === 1 ? (modules[0] ?? null) : null);
}

/** nextpnr: a parameter is a number, or its digits in binary. */
export const isSet = (value: unknown): boolean => typeof value === 'string' && /1\s*$/.test(value);

/** The path of the user's design in the base SoC: see gateware and wrapper. */
export const DESIGN = ['user', 'user'] as const;
