import { expect, test } from 'vitest';
import { Alertness, type Watched } from '../../../../../server/boards/virtual/alertness.ts';

/** An event loop whose turns are taken one by one, each a hundredth of a millisecond long. */
function loop(watched: Watched | null = null) {
  let time = 0;
  let next: (() => void)[] = [];
  const alertness = new Alertness(
    watched,
    () => time,
    (callback) => next.push(callback),
  );
  return {
    alertness,
    /** Lets time pass; returns the number of turns in which the loop was awake. */
    pass(ms: number): number {
      let turns = 0;
      for (const end = time + ms; time < end; time += 0.01) {
        const due = next;
        next = [];
        if (due.length > 0) turns++;
        for (const callback of due) callback();
      }
      return turns;
    },
  };
}

test('waits actively, and only briefly, after a fast response', () => {
  const { alertness, pass } = loop();
  alertness.wait();
  expect(pass(0.1)).toBe(0);
  alertness.end();
  alertness.wait();
  expect(pass(0.1)).toBeGreaterThan(5);
  alertness.end();
  expect(pass(1)).toBeLessThanOrEqual(1);
  alertness.wait();
  const turns = pass(100);
  expect(turns).toBeGreaterThan(40);
  expect(turns).toBeLessThan(80);
});

test('sleeps after a slow response, and without a pending request', () => {
  const { alertness, pass } = loop();
  expect(pass(1)).toBe(0);
  alertness.wait();
  pass(0.1);
  alertness.end();
  alertness.wait();
  pass(100);
  alertness.end();
  alertness.wait();
  expect(pass(1)).toBe(0);
});

test('repeated waits share one watch', () => {
  const { alertness, pass } = loop();
  alertness.wait();
  alertness.end();
  for (let n = 0; n < 10; n++) {
    alertness.wait();
    expect(pass(0.1)).toBeLessThanOrEqual(12);
    alertness.end();
  }
});

test('messages are taken while watching, and once more when watching ends', () => {
  const seen: string[] = [];
  let full = false;
  const { alertness, pass } = loop({
    get full() {
      return full;
    },
    watch: (watched) => {
      seen.push(watched ? 'watched' : 'left');
      // It arrives just after the last check.
      if (!watched) full = true;
    },
    take: () => {
      if (full) seen.push('taken');
      full = false;
    },
  });
  alertness.wait();
  pass(0.1);
  expect(seen).toEqual([]);
  alertness.end();
  alertness.wait();
  pass(0.1);
  expect(seen).toEqual(['watched']);
  full = true;
  pass(0.05);
  expect(seen).toEqual(['watched', 'taken']);
  pass(1);
  expect(seen).toEqual(['watched', 'taken', 'left', 'taken']);
});
