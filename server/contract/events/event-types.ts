/** Every event of GET /events with its meaning. events.ts has the fields; users of the names need no schemas. */
export const EVENT_TYPES = {
  snapshot:
    'Always first: the ten nodes in full, the newest 200 runs, the newest 200 other jobs and those that a node names, the newest 200 jobs without a node, the newest 5 activity entries of each node.',
  node: 'The node in full.',
  job: 'The job in full.',
  job_removed: 'The job was removed.',
  unplaced_job:
    'A job that waits for a node: new, cancelled, or in another place in line. A `job` with its id follows when it has one.',
  unplaced_job_removed: 'The job was removed.',
  log: 'Text appended to the log of a job; `offset` is in bytes.',
  board: 'A board is there, is gone, or is in another slot.',
  activity:
    'An action of a user or of the bench on a node; it comes before the `node` event with the result.',
  pins: 'The pins of a design, or those that changed; see [pins.md](pins.md).',
  terminal: 'What the design has sent over its serial line; see [pins.md](pins.md).',
  capture:
    'A [capture](signals.md#captures) has begun, its trigger has come, it has ended, or been forgotten.',
  status: 'Version, address, LAN, enforcement, clients, store, builds; the rest is in GET /status.',
  bench: 'Another bench has changed.',
  bench_removed: 'A remote bench was removed from the list.',
  heartbeat: 'After 15 s without another event.',
} as const;
