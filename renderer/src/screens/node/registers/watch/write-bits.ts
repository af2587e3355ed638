import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { inTurn } from '../../../../state/client/in-turn.ts';
import { runTransaction } from '../../../../state/registers/transactions.ts';
import { lastValuesOf } from '../../../../state/samples/samples.ts';
import { type BitField, type Register, withField } from '../map/register-map.ts';

type Place = Pick<Register, 'address' | 'access'>;
type Bits = Pick<BitField, 'msb' | 'lsb'>;

async function readAndWrite(
  client: BenchClient,
  node: number,
  { address, access }: Place,
  bits: Bits,
  value: number,
): Promise<void> {
  let word = lastValuesOf(node).get(address)?.value ?? 0;
  if (access !== 'wo') {
    const before = await runTransaction(client, node, { op: 2, address, count: 1 });
    const [read] = before.data;
    if (before.state !== 'ok' || read === undefined) return;
    word = read;
  }
  await runTransaction(client, node, { op: 1, address, data: [withField(word, bits, value)] });
}

/**
 * Writes some bits of a word and keeps the others: it reads the word first, after any write of its bits under way, which
 * it would undo. For a write-only register they keep their last written value. Rejects with the service's refusal; the
 * list shows a missing acknowledge.
 */
const writeBits = (
  client: BenchClient,
  node: number,
  place: Place,
  bits: Bits,
  value: number,
): Promise<void> =>
  inTurn(client, `bits ${node} ${place.address}`, () => readAndWrite(client, node, place, bits, value));

/** Writes a field of a register and keeps its neighbours; see `writeBits`. */
export const writeField = (
  client: BenchClient,
  node: number,
  register: Place,
  field: BitField,
  value: number,
): Promise<void> => writeBits(client, node, register, field, value);

/** Writes one bit of a register, 31 to 0, and keeps the others; see `writeBits`. */
export const writeBit = (
  client: BenchClient,
  node: number,
  register: Place,
  bit: number,
  value: 0 | 1,
): Promise<void> => writeBits(client, node, register, { msb: bit, lsb: bit }, value);
