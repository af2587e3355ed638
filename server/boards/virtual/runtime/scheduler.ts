import type { RunningDesign } from './running-design.ts';

/** How often free-running designs get their turn, milliseconds. */
const PACE_INTERVAL = 250;
/** What all free-running designs of a thread may use in one interval, milliseconds: 0.6 % of a core. */
const PACE_BUDGET = 1.5;

export interface Scheduled {
  design: RunningDesign | null;
  /** Takes what the design has sent and notices that it has stopped or has room for more. */
  deliver(bytes: Uint8Array): void;
}

/**
 * Gives the designs of one thread their turns: busy ones in short slices one after another, with room for messages
 * in between; free-running ones a share at intervals; resting ones nothing, not even a timer.
 */
export class Scheduler {
  private readonly all = new Set<Scheduled>();
  private turning = false;
  private pacing: NodeJS.Timeout | null = null;

  add(one: Scheduled): void {
    this.all.add(one);
  }

  remove(one: Scheduled): void {
    this.all.delete(one);
  }

  /** To be called whenever a design may have become busy or free-running. */
  wake(): void {
    if (this.turning || !this.some('busy')) {
      this.pace();
      return;
    }
    this.turning = true;
    setImmediate(() => this.turn());
  }

  private some(urgency: 'busy' | 'free-running'): boolean {
    for (const { design } of this.all) if (design?.urgency === urgency) return true;
    return false;
  }

  private turn(): void {
    let busy = false;
    for (const one of this.all) {
      if (one.design?.urgency !== 'busy') continue;
      one.deliver(one.design.runSlice());
      busy ||= one.design?.urgency === 'busy';
    }
    this.turning = busy;
    if (busy) setImmediate(() => this.turn());
    else this.pace();
  }

  private pace(): void {
    if (this.pacing || !this.some('free-running')) return;
    this.pacing = setTimeout(() => {
      this.pacing = null;
      const paced = [...this.all].filter(({ design }) => design?.urgency === 'free-running');
      for (const one of paced) if (one.design) one.deliver(one.design.runPaced(PACE_BUDGET / paced.length));
      this.wake();
    }, PACE_INTERVAL);
  }
}
