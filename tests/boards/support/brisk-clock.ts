import { type Clock, systemClock } from '../../../server/clock.ts';

/** Milliseconds that the programming sequences of the iCE40 pause for. */
const PAUSES = new Set([0.1, 1, 2, 5, 100, 250]);

/** Real time, but nobody waits long: the pauses of the programming sequences shrink to a turn, all else stays. */
export const briskClock: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(PAUSES.has(ms) ? 0 : ms, callback),
};
