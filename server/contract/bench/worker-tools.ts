import type { BuildsView } from './builds.ts';

/** What a worker builds with, as a person reads it: `Wishbench 0.1.0, yosys 0.55, nextpnr-ice40 0.8`. */
export function toolsOf({ version, builds }: BuildsView['workers'][number]): string {
  const tools = builds.flatMap(({ versions }) => Object.entries(versions));
  // Some tools say their own name with their version.
  const named = tools.map(([tool, of]) =>
    of.toLowerCase().includes(tool.toLowerCase()) ? of : `${tool} ${of}`,
  );
  return [`Wishbench ${version}`, ...new Set(named)].join(', ');
}
