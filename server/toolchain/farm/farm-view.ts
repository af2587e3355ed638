import type { Redis } from 'ioredis';
import Type from 'typebox';
import { checkOf, parseAs } from '../../contract/check.ts';
import { runScript } from './connection.ts';
import { type Capability, isCapability, isWorkerCard, type WorkerCard } from './messages.ts';

/** A build of the farm. Times are milliseconds. */
export interface FarmEntry {
  buildId: string;
  /** 1 for the next of its queue; null for one that is being built. */
  place: number | null;
  file: string;
  owner: string;
  /** Since it was asked for. */
  age: number;
  queue: string;
  batch: boolean;
  /** Name of the worker that is at it, or was last; empty for none. */
  worker: string;
  /** Since it was begun; null where it was not. */
  building: number | null;
  /** The bench that asked first. */
  bench: string;
  /** Whether the limit of its owner holds it. */
  held: boolean;
}

/** The farm at one moment. */
export interface FarmView {
  workers: WorkerCard[];
  /** By the names of their queues. */
  capabilities: Map<string, Capability>;
  line: FarmEntry[];
  building: FarmEntry[];
  /** Builds that wait, by owner. */
  owners: Record<string, number>;
  waiting: number;
  /** Results that are kept for all benches. */
  kept: { builds: number; bytes: number };
  /** Of the last ten whole minutes. */
  rates: { built: number; failed: number; stopped: number; milliseconds: number };
}

/** A queue of builds that others make. */
export interface Farm {
  /** As it may be shown. */
  readonly address: string;
  /**
   * The farm as it is; where the queue does not answer, as it was last known, with why.
   * @param most builds of a line
   */
  look(most: number): Promise<{ view: FarmView; problem: string | null }>;
  /** Why there is no room for another build, and after how many seconds there may be; null where there is. */
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

/** Builds of each queue that are being made and shown. */
const MAX_BUILDS_SHOWN = 1000;

/**
 * Everything about the farm, read at one moment.
 * @param most entries of the line of each queue
 * @param building entries of those that are being made, of each queue
 */
export async function readFarm(redis: Redis, most: number, building = MAX_BUILDS_SHOWN): Promise<FarmView> {
  const answer = await runScript(redis, 'view', [most, building]);
  if (!isView(answer)) throw new Error('the answer of the script view is not one of this version');
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
