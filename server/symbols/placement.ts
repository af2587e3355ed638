import { estimateFmax } from './estimate/estimate-fmax.ts';
import type { TypicalDelays } from './estimate/typical-delays.ts';
import { extractSymbols } from './extract.ts';
import { PlacedCells } from './floorplan/cells.ts';
import { readDelays } from './floorplan/delays.ts';
import { type DesignUtilisation, designUtilisation } from './floorplan/design-utilisation.ts';
import { encodeFloorplan } from './floorplan/encode.ts';
import { makeFloorplan } from './floorplan/make-floorplan.ts';
import { Origins } from './floorplan/origins.ts';
import { slowestPath } from './floorplan/slowest-path.ts';
import { type Netlist, readNetlist } from './netlist-file.ts';
import { encodeSymbols } from './symbols.ts';

/** A design before it is placed. */
export interface SynthesisedDesign {
  /** As synthesis wrote it. */
  netlist: Uint8Array;
  /** Inverters that mapping has merged into other cells: see matchInverters. Null for a family without support. */
  inverters: Uint8Array | null;
  design: {
    /** Its modules, each with its input ports. */
    modules: readonly { name: string; inputs: readonly string[] }[];
    /** Its sources, as its author names them. */
    files: readonly string[];
  };
  /** Delays for the estimate of the clock; null for a part with unknown delays. */
  typical: TypicalDelays | null;
}

/** The output of place and route. */
export interface PlacedFiles {
  /** Its netlist, and the delays in the Standard Delay Format; null for a family without support for them. */
  placed: Uint8Array | null;
  delays: Uint8Array | null;
  /** Ids of the cells along the slowest path of all, as place and route reports it. */
  critical: readonly string[];
  chip: { buildId: string; part: string; package: string };
}

/** Requests to the thread, in this order. */
export type PlacementQuery =
  | { kind: 'synthesised'; design: SynthesisedDesign }
  | { kind: 'placed'; files: PlacedFiles };

/** Answers of the thread: an estimate for each synthesised design, then the requested data. */
export type AnsweredPlacement =
  | { kind: 'estimated'; megahertz: number | null }
  | { kind: 'placement'; placement: Placement | null };

/** Data from the netlists of a build. */
export interface Placement {
  /** Encoded; null where place and route leaves no netlist. */
  symbols: Uint8Array | null;
  /** Encoded; null in the same case. */
  floorplan: Uint8Array | null;
  own: DesignUtilisation;
}

/**
 * Reads a netlist as far as possible before placement.
 * @param estimated called first with the estimated clock, MHz, or null without an estimate
 * @returns the function that reads the rest after placement; null for an invalid netlist
 */
export function readSynthesised(
  { netlist, inverters, design, typical }: SynthesisedDesign,
  estimated: (megahertz: number | null) => void,
): ((files: PlacedFiles) => Placement) | null {
  const synthesised = readNetlist(new TextDecoder().decode(netlist));
  estimated(synthesised && typical && estimateFmax(synthesised, typical));
  if (!synthesised) return null;
  const inputs = new Map(design.modules.map((module) => [module.name, new Set(module.inputs)]));
  const origins = new Origins(synthesised, inputs);
  const recorded = inverters && readNetlist(new TextDecoder().decode(inverters));
  return (files) => readPlaced({ synthesised, inverters: recorded, origins, sources: design.files }, files);
}

/** What is known of a design before it is placed. */
interface ReadDesign {
  synthesised: Netlist;
  inverters: Netlist | null;
  origins: Origins;
  sources: readonly string[];
}

function readPlaced(
  { synthesised, inverters, origins, sources }: ReadDesign,
  { placed, delays, critical: slowest, chip }: PlacedFiles,
): Placement {
  const decoder = new TextDecoder();
  const routed = placed && readNetlist(decoder.decode(placed));
  if (!routed) {
    const own = designUtilisation(synthesised, origins, [], { critical: false, path: null });
    return { symbols: null, floorplan: null, own };
  }
  const symbols = encodeSymbols(extractSymbols(synthesised, routed, inverters));
  const located = new PlacedCells(synthesised, routed, origins);
  const cells = [...located.all()];
  const own = new Set(cells.flatMap(({ id, origin }) => (origin.scope.design ? [id] : [])));
  const critical = slowest.some((id) => own.has(id));
  const path =
    critical || !delays
      ? null
      : slowestPath(routed, readDelays(decoder.decode(delays)), (cell) => own.has(cell));
  const along = path?.steps.flatMap(({ from, to }) => [from, to]) ?? [];
  const floorplan = makeFloorplan(cells, {
    ...chip,
    files: sources,
    paths: { all: slowest, design: critical ? slowest : along },
  });
  return {
    symbols: Uint8Array.from(symbols),
    floorplan: Uint8Array.from(encodeFloorplan(floorplan)),
    own: designUtilisation(synthesised, origins, cells, { critical, path }),
  };
}
