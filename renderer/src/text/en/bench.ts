import type { InQueue } from '../../../../server/contract/jobs/in-queue.ts';
import { ordinal } from './common.ts';

/** The Bench screen: the ten nodes. */
export const bench = {
  title: 'Bench',
  nodes: 'Nodes',
  node: (id: number) => `Node ${id}`,
  wall: 'Wall',
  toWall: 'Show the rack full screen',
  fold: 'Collapse the rack',
  unfold: 'Expand the rack',
  leaveWall: 'Back to the bench',
  filter: 'Filter nodes',
  filterPlaceholder: 'Owner, file, board',
  filterState: 'Filter by state',
  filters: { all: 'All', idle: 'Idle', busy: 'Busy', reserved: 'Reserved', error: 'Error' },
  noneFit: 'No node fits the filter.',
  noneFitHere: 'No node of this bench fits the filter.',
  clearFilter: 'Show all nodes',
  left: 'left',
  mine: (name: string) => `${name} (you)`,
  next: (file: string) => `next: ${file}`,
  fmax: 'Fmax',
  luts: 'Logic',
  course: (name: string, value: string) => `${name}, now ${value}`,
  open: 'Open',
  howToBegin: 'Drop an HDL file on a node, or open one.',
  absent: 'board absent',
  dropHere: (id: number) => `Drop to submit on node ${id}`,
  dropReplace: (id: number) => `Drop to replace the design on node ${id}`,
  dropWait: (id: number) => `Drop to queue for node ${id}`,
  inQueue: ({ place, behind, held }: InQueue) => {
    // At the owner's limit, every build before this one is the same owner's.
    if (held === 'owner_limit')
      return `Owner’s limit: ${ordinal(place)}${behind === null ? '' : `, after ${behind.file}`}`;
    const line =
      behind === null
        ? `${ordinal(place)} in the queue`
        : `${ordinal(place)}, after ${behind.file} of ${behind.owner}`;
    return held === 'no_worker' ? `No worker can build it: ${line}` : line;
  },
  inLine: (count: number) => `${count} waiting`,
  dropBusy: (id: number) => `Node ${id} takes no design now`,
  counts: (count: number, word: string) => `${count} ${word}`,
  firstTitle: 'New here? See a design run.',
  firstText:
    'Builds the echo example on an idle virtual board, programs it, writes a word and reads it back.',
  firstRun: 'Run the example',
  firstDismiss: 'Not now',
  noIdle: 'No node is idle. Release one first.',
};
