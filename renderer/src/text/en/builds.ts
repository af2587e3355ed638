/** The Builds screen: workers, builds and the queue. */
export const builds = {
  title: 'Builds',
  figures: 'Workers, builds and queue',
  summary: (busy: number, slots: number, waiting: number) =>
    `${busy} of ${slots === 1 ? '1 slot' : `${slots} slots`} busy, ${waiting} waiting`,
  here: 'Builds are made on this bench.',
  queue: (address: string) => `Builds are made by the workers of ${address}.`,
  rates: (built: number, failed: number, mean: number | null) =>
    `Last ten minutes: ${built.toFixed(1)} built and ${failed.toFixed(1)} failed per minute${mean === null ? '' : `, ${mean.toFixed(1)} s each`}.`,
  kept: (count: number, size: string) =>
    count === 1
      ? `The queue stores one result for all benches (${size}).`
      : `The queue stores ${count} results for all benches (${size}).`,
  problem: (problem: string) =>
    `The queue ${problem}. Builds wait for it, and these figures may be out of date. Run checks under Boards for the cause and the remedy.`,
  noWorkers: 'No worker is connected. Start one: wishbench worker --queue …',
  workers: 'Workers',
  byOwner: 'Waiting, by owner',
  building: 'Being built',
  waiting: 'Waiting',
  nothingWaits: 'No build waits.',
  more: (count: number) => (count === 1 ? 'One more waits.' : `${count} more wait.`),
  owner: 'Owner',
  waits: 'Waiting',
  file: 'Design',
  worker: 'Worker',
  since: 'Since',
  place: 'Place',
  kind: 'For',
  busy: 'Busy',
  builds: 'Builds',
  done: 'Built',
  batch: 'batch',
  limited: 'At the owner’s limit',
  noWorker: 'no worker can build it',
  leaving: 'stopping',
  counts: (built: number, failed: number) => (failed === 0 ? String(built) : `${built}, ${failed} failed`),
  age: (seconds: number) => (seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`),
};
