import type { Stage } from '../contract/jobs/jobs.ts';

/** As `[   1.234 synthesis] text` is written. */
const LINE = /^\[ *([\d.]+) ([a-z]+)\] (.*)$/;
/** Lines of its own that an earlier start may have put between two that come again. */
const BETWEEN = 50;

/**
 * What an earlier start of the service has written of a job that is taken up again: all that was told of it is told once
 * more, in the same order, and what is in the log already is not written a second time.
 */
export class DuplicateLines {
  /** Lines of the time before the job began: each is known wherever it is. */
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

  /** Whether a line is in the log, behind those that were found before. */
  has(stage: Stage, text: string): boolean {
    if (stage === 'queue') return this.#waiting.has(text);
    const found = this.#lines.indexOf(`${stage} ${text}`, this.#at);
    // The first may be anywhere: those before it may have been forgotten where it is told from.
    if (found < 0 || (this.#at > 0 && found > this.#at + BETWEEN)) return false;
    this.#at = found + 1;
    return true;
  }
}
