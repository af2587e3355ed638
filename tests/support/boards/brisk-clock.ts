import { type Clock, systemClock } from '../../../server/clock.ts';

/** Milliseconds that the programming sequences of the iCE40 pause for. */
const PAUSES = new Set([0.1, 1, 5, 100, 250]);

let skipped = 0;

/** Real time with short waits: the pauses of the programming sequences shrink to a turn of the event loop. */
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

/** Milliseconds for the hardware next to `briskClock`: skipped pauses count as passed. */
export const briskNow = () => performance.now() + skipped;
