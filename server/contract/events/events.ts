import Type, { type Static, type TProperties } from 'typebox';
import { SharedStatus } from '../bench/bench.ts';
import { BoardView, FpgaId } from '../boards/boards.ts';
import { component, enumOf, Timestamp, Uuid } from '../component.ts';
import { CourseId } from '../courses/courses.ts';
import { Job, UnplacedJob } from '../jobs/jobs.ts';
import { ACTIVITY_IN_SNAPSHOT, ActivityEntry } from '../nodes/activity.ts';
import { NodeView } from '../nodes/nodes.ts';
import { Pin } from '../nodes/pins.ts';
import { BenchView } from '../remote/benches.ts';
import { CAPTURE_STATES } from '../signals/signals.ts';
import { EVENT_TYPES } from './event-types.ts';

/** The messages of GET /events, one JSON object in each `data:` line. Events announce state; they do not steer it. */

const event = <N extends keyof typeof EVENT_TYPES, P extends TProperties>(name: N, properties: P) =>
  Type.Object({ type: Type.Literal(name), ...properties }, { description: EVENT_TYPES[name] });

const NodeEvent = event('node', { node: NodeView });
const JobEvent = event('job', { job: Job });
const JobRemovedEvent = event('job_removed', {
  fpga_id: FpgaId,
  job_id: Uuid('The removed job.'),
});
/** Separate from `job`, whose jobs have a node: an older client ignores these events. */
const UnplacedJobEvent = event('unplaced_job', { job: UnplacedJob });
const UnplacedJobRemovedEvent = event('unplaced_job_removed', {
  job_id: Uuid('The removed job.'),
});
const LogEvent = event('log', {
  fpga_id: FpgaId,
  job_id: Uuid('The job.'),
  offset: Type.Integer({ description: 'Byte offset of the first character in the log file.' }),
  text: Type.String({ description: 'New text of the log.' }),
});
export type LogEvent = Static<typeof LogEvent>;
const BoardEvent = event('board', { board: BoardView });
const ActivityEvent = event('activity', { entry: ActivityEntry });
/** Sent while a client watches the pins of a node, and when they are read or set: at most 20 times a second. */
const PinsEvent = event('pins', {
  fpga_id: FpgaId,
  complete: Type.Boolean({ description: 'The list has all pins; otherwise only those that changed.' }),
  pins: Type.Array(Pin, { description: '`rose` and `fell`: since the last event of the node’s pins.' }),
});
export type PinsEvent = Static<typeof PinsEvent>;
/** Sent when the design has sent something, while a client watches the pins of a node or reads its terminal. */
const TerminalEvent = event('terminal', {
  fpga_id: FpgaId,
  at: Type.Integer({ description: 'Bytes that the design sent before.' }),
  text: Type.String({ description: 'What it has sent, a character a byte.' }),
  lost: Type.Boolean({ description: 'As in GET /fpga/{id}/terminal.' }),
  damaged: Type.Boolean({ description: 'As in GET /fpga/{id}/terminal.' }),
});
export type TerminalEvent = Static<typeof TerminalEvent>;
/** Sent when a capture begins, triggers, ends, or is removed. */
const CaptureEvent = event('capture', {
  fpga_id: FpgaId,
  capture_id: Uuid('The capture.'),
  state: enumOf([...CAPTURE_STATES, 'forgotten'], {
    description: 'As in the capture; `forgotten`: it was removed.',
  }),
  triggered: Type.Boolean({ description: 'Its trigger has occurred.' }),
  samples: Type.Integer({ description: 'Number of samples.' }),
});
export type CaptureEvent = Static<typeof CaptureEvent>;
/** Sent when the state of a remote bench changes, apart from the time when it was last seen. */
const OtherBenchEvent = event('bench', { bench: BenchView });
const BenchRemovedEvent = event('bench_removed', {
  name: Type.String({ description: 'The removed bench.' }),
});
/** Without names: the stream goes to everybody. */
const CourseEvent = event('course', { course_id: CourseId });
const StatusEvent = event('status', { status: SharedStatus });

/** Events that the parts of a bench publish. */
export const BenchEvent = Type.Union([
  NodeEvent,
  JobEvent,
  JobRemovedEvent,
  UnplacedJobEvent,
  UnplacedJobRemovedEvent,
  LogEvent,
  BoardEvent,
  ActivityEvent,
  StatusEvent,
  OtherBenchEvent,
  BenchRemovedEvent,
  PinsEvent,
  TerminalEvent,
  CaptureEvent,
  CourseEvent,
]);
export type BenchEvent = Static<typeof BenchEvent>;

/** The first event of every stream: the whole state, so that missed events do not matter. */
const SnapshotEvent = event('snapshot', {
  nodes: Type.Array(NodeView),
  jobs: Type.Array(Job, {
    description:
      'The newest runs and other jobs, and for each node the running or waiting job and those named in its view; newest first.',
  }),
  unplaced_jobs: Type.Optional(
    Type.Array(UnplacedJob, {
      description:
        'Jobs that wait for an idle node, and those that were cancelled before there was one; newest first.',
    }),
  ),
  boards: Type.Array(BoardView),
  activity: Type.Optional(
    Type.Array(ActivityEntry, {
      description: `The newest ${ACTIVITY_IN_SNAPSHOT} of each node, and of jobs without one; newest first.`,
    }),
  ),
  status: SharedStatus,
  benches: Type.Optional(Type.Array(BenchView, { description: 'Every other bench that is known.' })),
});
export type SnapshotEvent = Static<typeof SnapshotEvent>;

/** Sent after a time without events, so that both ends notice a dead connection. */
const HeartbeatEvent = event('heartbeat', {
  time: Timestamp('When it was sent.'),
});

export const EventQuery = Type.Object({
  pins: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9,
      description:
        'A node whose pins and terminal to watch while the stream is open. The stream then has no other events; the first has all of them.',
    }),
  ),
});

export const LiveEvent = component(
  'LiveEvent',
  Type.Union([SnapshotEvent, HeartbeatEvent, ...BenchEvent.anyOf]),
);
export type LiveEvent = Static<typeof LiveEvent>;
