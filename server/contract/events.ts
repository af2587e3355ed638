import Type, { type Static } from 'typebox';
import { SharedStatus } from './bench.ts';
import { BoardView, FpgaId } from './boards.ts';
import { component, Timestamp, Uuid } from './component.ts';
import { Job } from './jobs.ts';
import { NodeView } from './nodes.ts';

/** What GET /events sends, one JSON object in each `data:` line. Events announce state; they do not steer it. */

const NodeEvent = Type.Object({ type: Type.Literal('node'), node: NodeView });
const JobEvent = Type.Object({ type: Type.Literal('job'), job: Job });
const JobRemovedEvent = Type.Object({
  type: Type.Literal('job_removed'),
  fpga_id: FpgaId,
  job_id: Uuid('The job that is not kept any more.'),
});
const LogEvent = Type.Object({
  type: Type.Literal('log'),
  fpga_id: FpgaId,
  job_id: Uuid('The job.'),
  offset: Type.Integer({ description: 'Byte offset of the first character in the log file.' }),
  text: Type.String({ description: 'New text of the log.' }),
});
export type LogEvent = Static<typeof LogEvent>;
const BoardEvent = Type.Object({ type: Type.Literal('board'), board: BoardView });
const StatusEvent = Type.Object({ type: Type.Literal('status'), status: SharedStatus });

/** What happens in a bench, as its parts announce it. */
export const BenchEvent = Type.Union([
  NodeEvent,
  JobEvent,
  JobRemovedEvent,
  LogEvent,
  BoardEvent,
  StatusEvent,
]);
export type BenchEvent = Static<typeof BenchEvent>;

/** The first event of every stream: all there is, so that what was missed before does not matter. */
const SnapshotEvent = Type.Object({
  type: Type.Literal('snapshot'),
  nodes: Type.Array(NodeView),
  jobs: Type.Array(Job, {
    description: 'Jobs that have not ended, and the newest that have; newest first.',
  }),
  boards: Type.Array(BoardView),
  status: SharedStatus,
});
export type SnapshotEvent = Static<typeof SnapshotEvent>;

/** Sent when nothing else was, so that both ends notice a dead line. */
const HeartbeatEvent = Type.Object({
  type: Type.Literal('heartbeat'),
  time: Timestamp('When it was sent.'),
});

export const LiveEvent = component(
  'LiveEvent',
  Type.Union([SnapshotEvent, HeartbeatEvent, ...BenchEvent.anyOf]),
);
export type LiveEvent = Static<typeof LiveEvent>;
