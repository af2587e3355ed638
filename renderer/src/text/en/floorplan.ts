const kinds: Record<string, string> = {
  table: 'Logic',
  register: 'Registers',
  carry: 'Carry chains',
  ram: 'Block RAM',
  io: 'Pins',
  buffer: 'Global buffer',
  pll: 'PLL',
  dsp: 'Multiplier',
  spram: 'Single-port RAM',
  other: 'Others',
};

/** The Floorplan tab: the cells of a design in the chip. */
export const floorplan = {
  kinds,
  none: 'No floorplan yet.',
  noneText: 'It appears when a build of this node is complete.',
  notKept: 'This build has no floorplan.',
  notKeptText:
    'The cache has the floorplans of recent builds for iCE40 parts. Submit the design again to get one.',
  chipRole: 'floorplan',
  chip: (part: string, design: number, bench: number) =>
    `Chip ${part}: ${design} cells of the design, ${bench} of the bench. The table below has the same by module.`,
  keys: 'Arrow keys go from cell to cell, Enter opens the source; + and − zoom, 0 shows all, Shift with arrow keys moves.',
  colouring: 'Coloured by',
  colourings: { module: 'module', kind: 'kind' },
  path: 'Slowest path',
  paths: { design: 'of the design', all: 'of all', none: 'none' },
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Show everything',
  find: 'Find a cell',
  findPlaceholder: 'Find a signal',
  found: (count: number, shown: number) =>
    count === 0
      ? 'No cell has such a name.'
      : count > shown
        ? `The first ${shown} of ${count} cells.`
        : count === 1
          ? '1 cell.'
          : `${count} cells.`,
  legend: 'Colours',
  bench: 'the bench, drawn narrow',
  others: 'other modules',
  top: 'the design itself',
  benchTop: 'base SoC',
  towards: (name: string) => `towards ${name}`,
  place: (x: number, y: number, z: number) => `column ${x}, row ${y}, place ${z}`,
  ofDesign: 'of the design',
  ofBench: 'of the bench',
  parts: { lut: 'look-up table', ff: 'flip-flop', carry: 'carry' },
  openSource: (file: string, line: number) => `${file}, line ${line}`,
  hint: 'Point at a cell to see what it is; a click opens its source.',
  modules: 'Modules',
  module: 'Module',
  whose: 'Belongs to',
  whoseOf: { design: 'design', bench: 'bench' },
  cells: 'Cells',
  lut: 'LUT',
  ff: 'Flip-flops',
  carry: 'Carry',
  ram: 'Block RAM',
  source: 'Source',
  total: (whose: 'design' | 'bench') => (whose === 'design' ? 'The design' : 'The bench'),
  show: (module: string) => `Show only ${module}`,
};
