import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { NODE_COUNT } from '../boards/node-count.ts';
import { component, enumOf, nullable, Timestamp } from '../component.ts';
import { Failure } from '../diagnostics.ts';
import { FPGA_STATES } from '../nodes/nodes.ts';

/** Limits a remote bench's texts, which are shown on one line and stored. */
const MAX_TEXT_LENGTH = 256;
const short = (description: string) => Type.String({ maxLength: MAX_TEXT_LENGTH, description });

/** The name of a known bench in paths. */
export const BENCH_NAME = '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$';

/** A summary of a bench's node. */
export const BenchNode = component(
  'BenchNode',
  Type.Object({
    fpga_id: FpgaId,
    state: enumOf(FPGA_STATES),
    owner: nullable(short('Its holder, or the owner of the build for it.')),
    board: short('The name of its board.'),
    present: Type.Boolean({ description: 'The board is present.' }),
    design: nullable(short('The file of the design on the board.')),
  }),
);
export type BenchNode = Static<typeof BenchNode>;

/** A bench's own description for other benches; answers of remote benches are checked with it. */
export const OwnBench = component(
  'OwnBench',
  Type.Object({
    bench_id: Type.String({
      pattern: '^[0-9a-f]{16}$',
      description: 'Stays the same as long as its data directory exists.',
    }),
    title: Type.String({ minLength: 1, maxLength: 64, description: 'What it calls itself.' }),
    version: Type.String({ maxLength: 64 }),
    enforcement: Type.Boolean({ description: 'Callers without a valid key are refused.' }),
    nodes: Type.Array(BenchNode, { maxItems: NODE_COUNT }),
  }),
);
export type OwnBench = Static<typeof OwnBench>;

/** A remote bench as this bench sees it. */
export const BenchView = component(
  'BenchView',
  Type.Object({
    name: Type.String({ description: 'In addresses: /benches/{name}/…; `own` for this bench.' }),
    title: Type.String({ description: 'What it calls itself; else its name.' }),
    address: Type.String({ description: 'Its address from this bench.' }),
    found: enumOf(['own', 'settings', 'mdns'], { description: 'How it was found.' }),
    state: enumOf(['live', 'dead'], { description: '`dead`: it does not answer.' }),
    last_seen: nullable(Timestamp('When it last answered; null: not since this service was started.')),
    bench_id: nullable(Type.String({ description: 'Null if unknown.' })),
    version: nullable(Type.String({ description: 'Of Wishbench; null if unknown.' })),
    enforcement: nullable(Type.Boolean({ description: 'It refuses callers without a valid key.' })),
    nodes: nullable(
      Type.Array(BenchNode, {
        description:
          'Its last answer; null if there was none, for example because it requires a key that this bench does not have.',
      }),
    ),
    idle: nullable(
      Type.Integer({ description: 'Nodes that accept a design now: idle, with a board; 0 if it is dead.' }),
    ),
    takes_work: Type.Boolean({
      description: 'POST /submit may choose one of its nodes: it is in the list of the settings.',
    }),
    problem: nullable(Failure),
  }),
);
export type BenchView = Static<typeof BenchView>;

/** The location of a remote job. */
export const JobBench = component(
  'JobBench',
  Type.Object({
    name: Type.String({ description: 'As in /benches/{name}/….' }),
    address: Type.String({ description: 'The address of that bench.' }),
    fpga_id: Type.Union([FpgaId, Type.Null()], { description: 'The node there; null while it has none.' }),
    state: enumOf(['live', 'dead'], {
      description: '`dead`: it does not answer; the job is shown in its last known state.',
    }),
    problem: Type.Union([Failure, Type.Null()], {
      description: 'Why the job failed there, or the problem of that bench while the job continues.',
    }),
  }),
);
export type JobBench = Static<typeof JobBench>;
