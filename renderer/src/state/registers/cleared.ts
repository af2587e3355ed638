// What a person does not want to see of a node's record.
import type { BenchClient } from '../client/bench-client.ts';
import { readStored, writeStored } from '../page/preferences.ts';

/** The parts of a record that this browser does not show. */
export interface Cleared {
  /** The last seq that was cleared from the list; 0 for none. */
  seq: number;
  /** Address → the seq up to which its values are not in the watch. */
  removed: Readonly<Record<number, number>>;
}

const KEY = 'wishbench.cleared-transactions';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const all = ({ memory }: BenchClient): Record<string, unknown> => {
  const stored = readStored(memory, KEY);
  return isRecord(stored) ? stored : {};
};

/** What is cleared of a record of a node: nothing of any other record. */
export function clearedOf(client: BenchClient, node: number, record: string): Cleared {
  const stored = all(client)[node];
  if (!isRecord(stored) || stored['record'] !== record) return { seq: 0, removed: {} };
  const { seq, removed } = stored;
  return {
    seq: typeof seq === 'number' ? seq : 0,
    removed: Object.fromEntries(
      Object.entries(isRecord(removed) ? removed : {}).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    ),
  };
}

export function storeCleared(client: BenchClient, node: number, record: string, cleared: Cleared): void {
  writeStored(client.memory, KEY, { ...all(client), [node]: { record, ...cleared } });
}
