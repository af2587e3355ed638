import type { SharedStatus } from '../../../../server/contract/bench/bench.ts';
import type { BoardView } from '../../../../server/contract/boards/boards.ts';
import type {
  CaptureEvent,
  LiveEvent,
  LogEvent,
  PinsEvent,
  SnapshotEvent,
} from '../../../../server/contract/events/events.ts';
import type { AnyJob, Job } from '../../../../server/contract/jobs/jobs.ts';
import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { BenchView } from '../../../../server/contract/remote/benches.ts';
import { onNextFrame } from './next-frame.ts';

/** The sum of a batch of events: the last state of each thing, and log text in order. */
export interface Batch {
  /** State at the beginning of a stream; the rest of the batch comes after it. */
  snapshot: SnapshotEvent | undefined;
  nodes: Map<number, NodeView>;
  boards: Map<number, BoardView>;
  jobs: Map<string, Job>;
  /** Jobs without a node. */
  unplacedJobs: Map<string, AnyJob>;
  removedJobs: Set<string>;
  logs: LogEvent[];
  activity: ActivityEntry[];
  /** Node → its last capture event. */
  captures: Map<number, CaptureEvent>;
  /** Pins with a viewer or a new value. */
  pins: PinsEvent[];
  status: SharedStatus | undefined;
  /** Other benches. */
  benches: Map<string, BenchView>;
  removedBenches: Set<string>;
  /** Courses that changed. */
  courses: Set<string>;
}

const emptyBatch = (snapshot?: SnapshotEvent): Batch => ({
  snapshot,
  nodes: new Map(),
  boards: new Map(),
  jobs: new Map(),
  unplacedJobs: new Map(),
  removedJobs: new Set(),
  logs: [],
  activity: [],
  captures: new Map(),
  pins: [],
  status: undefined,
  benches: new Map(),
  removedBenches: new Set(),
  courses: new Set(),
});

export function toBatch(events: readonly LiveEvent[]): Batch {
  let batch = emptyBatch();
  for (const event of events) {
    switch (event.type) {
      case 'snapshot':
        batch = emptyBatch(event);
        break;
      case 'node':
        batch.nodes.set(event.node.fpga_id, event.node);
        break;
      case 'job':
        batch.jobs.set(event.job.job_id, event.job);
        batch.removedJobs.delete(event.job.job_id);
        break;
      case 'job_removed':
        batch.jobs.delete(event.job_id);
        batch.removedJobs.add(event.job_id);
        break;
      case 'unplaced_job':
        batch.unplacedJobs.set(event.job.job_id, event.job);
        break;
      case 'unplaced_job_removed':
        batch.unplacedJobs.delete(event.job_id);
        batch.removedJobs.add(event.job_id);
        break;
      case 'log':
        batch.logs.push(event);
        break;
      case 'activity':
        batch.activity.push(event.entry);
        break;
      case 'capture':
        batch.captures.set(event.fpga_id, event);
        break;
      case 'pins':
        batch.pins.push(event);
        break;
      case 'board':
        batch.boards.set(event.board.slot, event.board);
        break;
      case 'status':
        batch.status = event.status;
        break;
      case 'bench':
        batch.benches.set(event.bench.name, event.bench);
        batch.removedBenches.delete(event.bench.name);
        break;
      case 'bench_removed':
        batch.benches.delete(event.name);
        batch.removedBenches.add(event.name);
        break;
      case 'course':
        batch.courses.add(event.course_id);
        break;
      // A heartbeat only keeps the connection alive, and this page does not know every event of a newer service:
      // neither is an error.
    }
  }
  return batch;
}

/**
 * Collects events and passes them on at most once per frame: a burst of a thousand events costs one redraw. In a hidden
 * tab a timer replaces the frames.
 */
export class EventPump {
  readonly #apply: (batch: Batch) => void;
  #events: LiveEvent[] = [];
  readonly #schedule = onNextFrame(() => this.flush());

  constructor(apply: (batch: Batch) => void) {
    this.#apply = apply;
  }

  push(events: readonly LiveEvent[]): void {
    for (const event of events) this.#events.push(event);
    this.#schedule();
  }

  flush(): void {
    if (this.#events.length === 0) return;
    const events = this.#events;
    this.#events = [];
    this.#apply(toBatch(events));
  }
}
