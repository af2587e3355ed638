import Type, { type Static } from 'typebox';
import type { Netlist } from '../netlist-file.ts';
import type { Placed } from './cells.ts';
import type { Origins } from './origins.ts';

const Step = Type.Object({
  from: Type.String(),
  to: Type.String(),
  net: Type.Union([Type.String(), Type.Null()]),
  ns: Type.Number(),
  type: Type.String(),
});

/** The design's part of a build, without the bench's. */
export const DesignUtilisation = Type.Object({
  /** Type of cell, as synthesis or place and route names it → number of the design's. */
  cells: Type.Record(Type.String(), Type.Integer()),
  /** The slowest path of all touches the design. */
  critical: Type.Boolean(),
  /** Else the slowest path that touches it; null where there is none, or where delays are unknown. */
  path: Type.Union([Type.Object({ megahertz: Type.Number(), steps: Type.Array(Step) }), Type.Null()]),
});
export type DesignUtilisation = Static<typeof DesignUtilisation>;

/** Counts the cells of the design, as synthesis made them and as they are on the chip. */
export function designUtilisation(
  synthesised: Netlist,
  origins: Origins,
  placed: readonly Placed[],
  { critical, path }: Pick<DesignUtilisation, 'critical' | 'path'>,
): DesignUtilisation {
  const cells: Record<string, number> = {};
  const count = (type: string) => {
    cells[type] = (cells[type] ?? 0) + 1;
  };
  for (const [name, { type }] of Object.entries(synthesised.cells))
    if (origins.of(name)?.scope.design) count(type);
  // Pins and buffers have the same type in both: the placed ones count.
  const types = new Set(placed.map(({ type }) => type));
  for (const type of types) delete cells[type];
  for (const { type, origin } of placed) if (origin.scope.design) count(type);
  return { cells, critical, path };
}
