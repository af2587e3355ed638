import type { Redis } from 'ioredis';
import Type from 'typebox';
import { checkOf, parseAs } from '../../contract/check.ts';
import { runScript } from './connection.ts';
import { type Capability, isCapability, isWorkerCard, type WorkerCard } from './messages.ts';

/** A build of the farm. Times are in ms. */
export interface FarmEntry {
  buildId: string;
  /** 1 for the next build of its queue; null for a running build. */
  place: number | null;
  file: string;
  owner: string;
  /** Time since the request. */
  age: number;
  queue: string;
  batch: boolean;
  /** Name of the current or last worker; empty for none. */
  worker: string;
  /** Time since its begin; null where it has not begun. */
  building: number | null;
  /** The bench of the first request. */
  bench: string;
  /** Whether its owner's limit holds it. */
  held: boolean;
}

/** The farm at one moment. */
export interface FarmView {
  workers: WorkerCard[];
  /** By queue. */
  capabilities: Map<string, Capability>;
  line: FarmEntry[];
  building: FarmEntry[];
  /** Waiting builds by owner. */
  owners: Record<string, number>;
  waiting: number;
  /** Results that Redis stores for all benches. */
  kept: { builds: number; bytes: number };
  /** Sums of the last ten whole minutes. */
  rates: { built: number; failed: number; stopped: number; milliseconds: number };
}

/** A queue of builds that workers make. */
export interface Farm {
  /** The address without user and password. */
  readonly address: string;
  /**
   * Reads the state of the farm. When the queue does not answer, it returns the last known state and the reason.
   * @param most limit of builds of a line
   */
  look(most: number): Promise<{ view: FarmView; problem: string | null }>;
  /** Why the queue is full, and after how many seconds there may be room; null when there is room. */
  full(owner: string): { whose: 'all' | 'owner' | 'memory'; waiting: number; after: number } | null;
}

const Texts = Type.Array(Type.String());
const Entry = Type.Tuple(Array.from({ length: 11 }, () => Type.String()));
const isView = checkOf(
  Type.Tuple([
    Texts,
    Texts,
    Type.Array(Entry),
    Type.Array(Entry),
    Texts,
    Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]),
    Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer(), Type.Integer()]),
  ]),
);

const pairs = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((key, i): [string, string][] => (i % 2 === 0 ? [[key, flat[i + 1] ?? '']] : []));

function entryOf(fields: readonly string[]): FarmEntry {
  const [
    buildId = '',
    place,
    file = '',
    owner = '',
    age,
    queue = '',
    batch,
    worker = '',
    building,
    bench = '',
    held,
  ] = fields;
  return {
    buildId,
    place: Number(place) || null,
    file,
    owner,
    age: Number(age),
    queue,
    batch: batch === '1',
    worker,
    building: building ? Number(building) : null,
    bench,
    held: held !== '',
  };
}

/** Limit of running builds that are shown for each queue. */
const MAX_BUILDS_SHOWN = 1000;

/**
 * Reads the state of the farm in one script.
 * @param most limit of the line of each queue
 * @param building limit of the running builds of each queue
 */
export async function readFarm(redis: Redis, most: number, building = MAX_BUILDS_SHOWN): Promise<FarmView> {
  const answer = await runScript(redis, 'view', [most, building]);
  if (!isView(answer)) throw new Error('the view script returned an answer of another version');
  const [cards, capabilities, line, active, owners, [waiting, builds, bytes], rates] = answer;
  const [built, failed, stopped, milliseconds] = rates;
  return {
    workers: cards.flatMap((text) => parseAs(text, isWorkerCard) ?? []),
    capabilities: new Map(
      pairs(capabilities).flatMap(([queue, text]): [string, Capability][] => {
        const capability = parseAs(text, isCapability);
        return capability ? [[queue, capability]] : [];
      }),
    ),
    line: line.map(entryOf),
    building: active.map(entryOf),
    owners: Object.fromEntries(pairs(owners).map(([owner, count]) => [owner, Number(count)])),
    waiting,
    kept: { builds, bytes },
    rates: { built, failed, stopped, milliseconds },
  };
}
