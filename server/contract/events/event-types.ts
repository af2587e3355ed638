/** Every event of GET /events, and its meaning. Its fields are in events.ts, so that a file that needs only names loads no schemas. */
export const EVENT_TYPES = {
  snapshot: 'Always first: all nodes, and the newest jobs and activity entries.',
  node: 'The node in full.',
  job: 'The job in full.',
  job_removed: 'The job is no longer kept.',
  unplaced_job: 'A job waits for a node, moves up in line, or is cancelled. With a node it becomes a `job`.',
  unplaced_job_removed: 'The job is no longer kept.',
  log: 'Text appended to the log of a job; `offset` is in bytes.',
  board: 'A board appears, disappears or changes its slot.',
  activity: 'An activity entry; the `node` that it changes follows.',
  pins: 'The [pins](pins.md) of a design, or those that changed.',
  terminal: 'Text from the [serial line](pins.md#the-serial-line) of the design.',
  capture: 'A [capture](signals.md#captures) begins, triggers, ends or is removed.',
  status: 'The part of GET /status that changes often.',
  bench: 'A remote bench changes.',
  bench_removed: 'A remote bench is no longer known.',
  heartbeat: 'After 15 s without another event.',
} as const;
