import { BUS_NETS } from '../../../symbols/extract.ts';
import type { DesignSignal } from '../../../symbols/symbols.ts';
import { reportedName } from '../../tool-paths.ts';

/** Signals of a flat design before optimisation. */
export interface DesignNets {
  /** Signals by hierarchical name, with those of the bus. A bit's place is its index in the net. */
  signals: DesignSignal[];
  /** Names of signals with the attribute `mark_debug` or `probe`, in the order of the netlist. */
  marked: string[];
  /** Names of memories, whose words are no nets. */
  memories: string[];
}

/** Prefix of the user's design in the wrapper. */
const DESIGN = '\\user.';

/** Widths of the bench's bus nets; see wishbench_top.v. */
const BUS_WIDTHS: Readonly<Record<string, number>> = { wb_adr: 30, wb_dat_w: 32, wb_dat_r: 32 };

const bitPlaces = (width: number): string[] => Array.from({ length: width }, (_, bit) => String(bit));

const busSignals = (): DesignSignal[] =>
  Object.entries(BUS_NETS).map(([net, name]) => ({
    name,
    kind: 'net',
    low: 0,
    ascending: false,
    places: bitPlaces(BUS_WIDTHS[net] ?? 1),
  }));

/** An attribute value of Yosys that means "no". */
const NO = /^(0|\d+'0*|"(0|false|no|)")$/i;

/**
 * Reads the wires and memories of the flat wrapper from Yosys's `dump`.
 * @param text lines of RTLIL
 */
export function parseNets(text: string): DesignNets {
  const found: DesignNets = { signals: busSignals(), marked: [], memories: [] };
  let attributes: Record<string, string> = {};
  for (const whole of text.split('\n')) {
    const line = whole.trim();
    const [, attribute, value = ''] = /^attribute \\(\S+) (.*)$/.exec(line) ?? [];
    if (attribute !== undefined) {
      attributes[attribute] = value;
      continue;
    }
    const [, kind, options = '', id = ''] = /^(wire|memory) (.*?)(\S+)$/.exec(line) ?? [];
    if (kind !== undefined && id.startsWith(DESIGN)) {
      const name = id.slice(DESIGN.length);
      if (kind === 'memory') found.memories.push(name);
      else {
        found.signals.push(signalOf(name, options, attributes['src'] ?? ''));
        const marks = [attributes['mark_debug'], attributes['probe']];
        if (marks.some((mark) => mark !== undefined && !NO.test(mark))) found.marked.push(name);
      }
    }
    attributes = {};
  }
  return found;
}

/** Parses options such as `width 8 offset 4 upto`. */
function signalOf(name: string, options: string, source: string): DesignSignal {
  const number = (word: string, otherwise: number) =>
    Number(new RegExp(`\\b${word} (-?\\d+)`).exec(options)?.[1] ?? otherwise);
  const width = number('width', 1);
  const [, file, line] = /^"([^":|]+):(\d+)/.exec(source) ?? [];
  return {
    name,
    kind: 'net',
    low: number('offset', 0),
    ascending: /\bupto\b/.test(options),
    places: bitPlaces(width),
    ...(file === undefined ? {} : { file: reportedName(file), line: Number(line) }),
  };
}
