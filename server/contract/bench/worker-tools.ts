import type { BuildsView } from './builds.ts';

/** A worker's tools in readable form: `Wishbench 0.1.0, yosys 0.55, nextpnr-ice40 0.8`. */
export function toolsOf({ version, builds }: BuildsView['workers'][number]): string {
  const tools = builds.flatMap(({ versions }) => Object.entries(versions));
  // Some tools include their name in their version.
  const named = tools.map(([tool, of]) =>
    of.toLowerCase().includes(tool.toLowerCase()) ? of : `${tool} ${of}`,
  );
  return [`Wishbench ${version}`, ...new Set(named)].join(', ');
}
