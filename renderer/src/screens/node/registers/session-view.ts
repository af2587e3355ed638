import type { BenchClient } from '../../../state/client/bench-client.ts';
import { readStored, writeStored } from '../../../state/page/preferences.ts';

/** The stored register view of a design on a node, for a reload. */
interface StoredView {
  /** Its session: a new one reads nothing until the person asks. */
  session: string;
  polled: readonly number[];
  plotted: readonly number[];
  lanes: readonly string[];
  /** Seconds. */
  interval: number;
  paused: boolean;
  /** Address → the values that the register should not leave. */
  limits: Readonly<Record<number, { below?: number; above?: number }>>;
  /** Name of the right view. */
  view: string;
  /** Typed lines, oldest first. */
  commands: readonly string[];
  /** The range of the memory view, as typed. */
  from: string;
  words: string;
}

const KEY = 'wishbench.register-views';
/** Maximum stored designs; the least recently used goes first. */
const MOST = 40;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = <T extends 'number' | 'string'>(value: unknown, type: T) =>
  Array.isArray(value)
    ? value.filter((one): one is T extends 'number' ? number : string => typeof one === type)
    : [];

function limitsIn(value: unknown): StoredView['limits'] {
  const entries = Object.entries(isRecord(value) ? value : {}).flatMap(([address, own]) => {
    if (!isRecord(own)) return [];
    const { below, above } = own;
    const limits = {
      ...(typeof below === 'number' && { below }),
      ...(typeof above === 'number' && { above }),
    };
    return [[address, limits] as const];
  });
  return Object.fromEntries(entries);
}

/** Valid parts of the stored view: another version of this page may have written it. */
function checked(stored: Record<string, unknown>): StoredView {
  return {
    session: textOf(stored['session']),
    polled: listOf(stored['polled'], 'number'),
    plotted: listOf(stored['plotted'], 'number'),
    lanes: listOf(stored['lanes'], 'string'),
    interval: typeof stored['interval'] === 'number' ? stored['interval'] : 0.5,
    paused: stored['paused'] === true,
    limits: limitsIn(stored['limits']),
    view: textOf(stored['view']),
    commands: listOf(stored['commands'], 'string'),
    from: textOf(stored['from']),
    words: textOf(stored['words']),
  };
}

const all = (client: BenchClient): Record<string, unknown> => {
  const stored = readStored(client.memory, KEY);
  return isRecord(stored) ? stored : {};
};

const nameOf = (node: number, design: string): string => `${node} ${design}`;

/** The stored view of a design on a node; empty without one. */
export function storedView(client: BenchClient, node: number, design: string): StoredView {
  const stored = all(client)[nameOf(node, design)];
  return checked(isRecord(stored) ? stored : {});
}

/** Stores a part of a view. */
export function keepView(
  client: BenchClient,
  node: number,
  design: string,
  change: Partial<StoredView>,
): void {
  const name = nameOf(node, design);
  const { [name]: _, ...others } = all(client);
  const next = { ...storedView(client, node, design), ...change };
  const entries = [...Object.entries(others), [name, next] as const].slice(-MOST);
  writeStored(client.memory, KEY, Object.fromEntries(entries));
}
