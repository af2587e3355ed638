import Type, { type Static } from 'typebox';
import { component, enumOf, nullable } from '../component.ts';

/** Maximum cells of a floorplan: the largest part has fewer. */
export const MAX_CELLS = 20_000;
/** Maximum modules that a floorplan distinguishes; cells of deeper modules count for their parent. */
export const MAX_MODULES = 500;

const Index = (description: string) => Type.Integer({ minimum: 0, description });

const CELL_KINDS = ['logic', 'ram', 'io', 'buffer', 'pll', 'dsp', 'spram', 'other'] as const;
export type CellKind = (typeof CELL_KINDS)[number];
const CELL_PARTS = ['lut', 'ff', 'carry'] as const;

const PlacedCell = Type.Object({
  name: Type.String({
    description:
      'The signal that it drives, within its module: `count[3]`; for logic in between, the signal that it contributes to.',
  }),
  between: Type.Optional(
    Type.Literal(true, { description: 'It contributes to that signal and does not drive it.' }),
  ),
  kind: enumOf(CELL_KINDS),
  parts: Type.Optional(
    Type.Array(enumOf(CELL_PARTS), {
      description: 'The used parts of a logic cell: look-up table, flip-flop, carry.',
    }),
  ),
  x: Type.Integer({ description: 'Column of its tile, from the left.' }),
  y: Type.Integer({ description: 'Row of its tile, from the bottom.' }),
  z: Type.Integer({ description: 'Its place within the tile: 0 to 7 for logic cells, from the bottom.' }),
  module: Index('Index in `modules`.'),
  file: Type.Optional(Index('Index in `files`.')),
  line: Type.Optional(Type.Integer()),
});
export type PlacedCell = Static<typeof PlacedCell>;

const Counts = {
  cells: Type.Integer({ description: 'Cells of all kinds.' }),
  lut: Type.Integer(),
  ff: Type.Integer(),
  carry: Type.Integer(),
  ram: Type.Integer({ description: 'Block RAMs.' }),
};

const PlacedModule = Type.Object({
  path: Type.String({
    description: 'The instance: within the design `fifo.head`, empty for its top; of the bench `bridge`.',
  }),
  module: nullable(Type.String({ description: 'Name of the module; null if unknown.' })),
  whose: enumOf(['design', 'bench'], { description: 'The user’s design, or the bench’s part.' }),
  file: Type.Optional(Index('Where the module is, index in `files`.')),
  line: Type.Optional(Type.Integer()),
  ...Counts,
});
export type PlacedModule = Static<typeof PlacedModule>;

/** The positions of a build's cells on the chip. */
export const Floorplan = component(
  'Floorplan',
  Type.Object({
    version: Type.Literal(1),
    build_id: Type.String(),
    part: Type.String({ description: 'E.g. `hx8k-ct256`.' }),
    tiles: Type.Array(Type.String(), {
      description:
        'One string a row, from the bottom, a letter a tile: L logic, R block RAM (two tiles high), I pins, D multipliers and others, a dot for none.',
    }),
    modules: Type.Array(PlacedModule, { maxItems: MAX_MODULES + 2 }),
    files: Type.Array(Type.String(), { description: 'Sources of the design, as its author names them.' }),
    cells: Type.Array(PlacedCell, { maxItems: MAX_CELLS }),
    paths: Type.Object(
      {
        all: Type.Array(Index('Index in `cells`.')),
        design: Type.Array(Index('Index in `cells`.')),
      },
      {
        description:
          'The cells along the slowest path of all and along the slowest that the design has a part in, from its beginning; the report has their delays.',
      },
    ),
  }),
);
export type Floorplan = Static<typeof Floorplan>;
