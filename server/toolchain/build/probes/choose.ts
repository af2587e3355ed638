import type { Probe } from '../../../contract/designs/uploads.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { BUS_NETS } from '../../../symbols/extract.ts';
import { SymbolTable } from '../../../symbols/symbols.ts';
import type { DesignNets } from './nets.ts';

/** Limit of a capture core's sample, bits. */
const MAX_PROBE_BITS = 64;

/** Names that a Yosys script can only read as a name. */
const PLAIN = /^[A-Za-z_][\w$.:[\]]*$/;

/** Names that one message lists. */
const MAX_LISTED_NAMES = 5;

const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED_NAMES).join(', ') +
  (names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '');

/** The names in the form field `probes`. */
export const probeNames = (field: string): string[] => [
  ...new Set(
    field
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Probes of a build, with notes about marks that cannot be probed. */
interface ChosenProbes {
  probes: Probe[];
  notes: string[];
}

/**
 * Chooses the probes of a build: first the requested names, then the source's marks. Marks are often meant for another
 * tool, and a mark that cannot be probed or has no room is only a note.
 * @throws probe_unknown with similar names, probes_too_large; both for requested names only
 */
export function chooseProbes(nets: DesignNets, names: readonly string[]): ChosenProbes {
  const table = new SymbolTable({ version: 1, signals: nets.signals, bus: [], omitted: 0 });
  const isProbe = (name: string) => PLAIN.test(name) && table.find(name) !== null;
  const unknown = names.filter((name) => !isProbe(name));
  if (unknown.length > 0) throw refusal(unknown, nets, table);
  const probes: Probe[] = [];
  let at = 0;
  const add = (name: string) => {
    const probe = probeAt(name, at, table);
    if (!probe) return;
    probes.push(probe);
    at += probe.width;
  };
  for (const name of names) add(name);
  if (at > MAX_PROBE_BITS)
    throw toolchainError('probes_too_large', {
      message: `The probes have ${at} bits in total (${listed(probes.map(({ name, width }) => `${name}: ${width}`))}); the capture core takes at most ${MAX_PROBE_BITS}.`,
    });
  const marked = [...new Set(nets.marked)].filter((name) => !names.includes(name));
  const odd = marked.filter((name) => !isProbe(name));
  const left: string[] = [];
  for (const name of marked.filter(isProbe))
    if (at + (table.find(name)?.places.length ?? 0) <= MAX_PROBE_BITS) add(name);
    else left.push(name);
  return {
    probes,
    notes: [
      ...(odd.length > 0 ? [`${listed(odd)} is marked but cannot be probed: not a plain signal`] : []),
      ...(left.length > 0
        ? [
            `the marked signals exceed the ${MAX_PROBE_BITS} bits of the capture core: ${listed(left)} is not probed; name the signals that you want in \`probes\``,
          ]
        : []),
    ],
  };
}

/** @param at lowest bit of the probe in a sample */
function probeAt(name: string, at: number, table: SymbolTable): Probe | null {
  const found = table.find(name);
  if (!found) return null;
  const { signal, places } = found;
  return {
    name,
    width: places.length,
    at,
    signal: signal.name,
    from: Number(places[0]),
    signal_width: signal.places.length,
    low: signal.low,
    ascending: signal.ascending,
    ...(signal.file === undefined ? {} : { file: signal.file }),
    ...(signal.line === undefined ? {} : { line: signal.line }),
  };
}

function refusal(unknown: readonly string[], { memories }: DesignNets, table: SymbolTable) {
  const odd = unknown.filter((name) => table.find(name) !== null);
  const inMemory = unknown.filter((name) => memories.includes(name.replace(/\[[\d:]*\]$/, '')));
  const nearest = unknown
    .filter((name) => !odd.includes(name) && !inMemory.includes(name))
    .flatMap((name) => table.nearest(name) ?? []);
  const sentences = [
    `The design has no signal ${listed(unknown)} that can be probed.`,
    ...(nearest.length > 0 ? [`Did you mean ${listed([...new Set(nearest)])}?`] : []),
    ...(inMemory.length > 0
      ? [`${listed(inMemory)} is a memory: probe its address and its data instead.`]
      : []),
    ...(odd.length > 0 ? [`${listed(odd)} has characters that the name of a probe cannot have.`] : []),
  ];
  const message = sentences.join(' ');
  return toolchainError('probe_unknown', {
    message,
    diagnostics: unknown
      .slice(0, MAX_LISTED_NAMES)
      .map((net) => ({ severity: 'error', code: 'probe_unknown', message, net })),
  });
}

/** Net of wishbench_top by bus name. */
const BUS_BY_NAME = new Map(Object.entries(BUS_NETS).map(([net, name]) => [name, net]));

/**
 * Yosys commands that connect the core to the signals of the flat module. They run before optimisation: a connected signal
 * has a reader and stays.
 */
export const connectProbes = (top: string, probes: readonly Probe[]): string[] => [
  `cd ${top}`,
  ...probes.map(({ signal, from, width, signal_width: whole, at }) => {
    const net = BUS_BY_NAME.get(signal) ?? `user.user.${signal}`;
    const part = whole === 1 ? '' : `[${from + width - 1}:${from}]`;
    return `connect -nomap -nounset -set probes[${at + width - 1}:${at}] ${net}${part}`;
  }),
  'cd ..',
];
