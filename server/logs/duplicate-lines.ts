import type { Stage } from '../contract/jobs/jobs.ts';

/** The form `[   1.234 synthesis] text`. */
const LINE = /^\[ *([\d.]+) ([a-z]+)\] (.*)$/;
/** Maximum own lines of an earlier start between two repeated lines. */
const BETWEEN = 50;

/**
 * Lines of a resumed job that its log has already. Its output is sent again from the start, in the same order, and
 * these lines are dropped.
 */
export class DuplicateLines {
  /** Lines from before the job began: their order does not matter. */
  readonly #waiting = new Set<string>();
  /** Lines since then, in order. */
  readonly #lines: string[] = [];
  #at = 0;
  /** When the job began, milliseconds of its log; null where the log does not show it. */
  readonly beganAt: number | null;
  /** When its last line was written, the same. */
  readonly lastAt: number;

  constructor(log: string) {
    let began: number | null = null;
    let last = 0;
    for (const line of log.split('\n')) {
      const [, seconds, stage = '', text = ''] = LINE.exec(line) ?? [];
      if (seconds === undefined) continue;
      last = Math.max(last, Number(seconds) * 1000);
      if (stage === 'queue') this.#waiting.add(text);
      else {
        began ??= Number(seconds) * 1000;
        this.#lines.push(`${stage} ${text}`);
      }
    }
    this.beganAt = began;
    this.lastAt = last;
  }

  /** Whether a line is in the log, after those found before. */
  has(stage: Stage, text: string): boolean {
    if (stage === 'queue') return this.#waiting.has(text);
    const found = this.#lines.indexOf(`${stage} ${text}`, this.#at);
    // The first repeated line may be anywhere, because the source may have dropped earlier ones.
    if (found < 0 || (this.#at > 0 && found > this.#at + BETWEEN)) return false;
    this.#at = found + 1;
    return true;
  }
}
