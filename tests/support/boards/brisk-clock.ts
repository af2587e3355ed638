import { type Clock, systemClock } from '../../../server/clock.ts';

/** Milliseconds that the programming sequences of the iCE40 pause for. */
const PAUSES = new Set([0.1, 1, 5, 100, 250]);

let skipped = 0;

/** Real time, but nobody waits long: the pauses of the programming sequences shrink to a turn, all else stays. */
export const briskClock: Clock = {
  ...systemClock,
  after(ms, callback) {
    if (!PAUSES.has(ms)) return systemClock.after(ms, callback);
    return systemClock.after(0, () => {
      skipped += ms;
      callback();
    });
  },
};

/** Milliseconds as hardware sees them beside `briskClock`: what was not waited for has passed for it. */
export const briskNow = () => performance.now() + skipped;
