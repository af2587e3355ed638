/** Who builds, what is built, and what waits for it. */
export const builds = {
  title: 'Builds',
  figures: 'Who builds, what is built and what waits',
  summary: (busy: number, slots: number, waiting: number) =>
    `${busy} of ${slots === 1 ? '1 slot' : `${slots} slots`} busy, ${waiting} waiting`,
  here: 'Builds are made on this bench.',
  queue: (address: string) => `Builds are made by the workers of ${address}.`,
  rates: (built: number, failed: number, mean: number | null) =>
    `In the last ten minutes ${built.toFixed(1)} built and ${failed.toFixed(1)} failed a minute${mean === null ? '' : `, ${mean.toFixed(1)} s each`}.`,
  kept: (count: number, size: string) =>
    count === 1
      ? `One result is kept for all benches (${size}).`
      : `${count} results are kept for all benches (${size}).`,
  problem: (problem: string) =>
    `The queue ${problem}. Builds wait for it; this is what was last known. The doctor (Boards) says why, and what to do.`,
  noWorkers: 'No worker says that it is there. Start one: wishbench worker --queue …',
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
  limited: 'Held by the limit of their owner',
  noWorker: 'no worker builds it',
  leaving: 'ends',
  counts: (built: number, failed: number) => (failed === 0 ? String(built) : `${built}, ${failed} failed`),
  age: (seconds: number) => (seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`),
};
