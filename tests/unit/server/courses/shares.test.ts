import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Booking } from '../../../../server/contract/courses/shares.ts';
import { bookedNodes } from '../../../../server/courses/shares/bookings.ts';
import { Ledger } from '../../../../server/courses/shares/ledger.ts';
import type { BenchError } from '../../../../server/errors/bench-error.ts';
import { course, ShareModel, student } from '../../../support/courses/share-model.ts';

const MINUTE = 60_000;
const HOURS = 6;
const codeOf = (ask: () => void): string => {
  try {
    ask();
  } catch (error) {
    return (error as BenchError).code;
  }
  return 'accepted';
};

describe('thirty students who always want a node', () => {
  const students = Array.from({ length: 30 }, (_, at) => student(`s-${at}`));

  test('get the same minutes, nobody exceeds a limit, and no job is lost', () => {
    const hold = fc.integer({ min: 2, max: 12 });
    const scenario = fc.record({
      holds: fc.array(hold, { minLength: 50, maxLength: 200 }),
      sessions: fc.integer({ min: 1, max: 2 }),
      session_minutes: fc.integer({ min: 5, max: 10 }),
      queued_jobs: fc.integer({ min: 1, max: 2 }),
    });
    fc.assert(
      fc.property(scenario, ({ holds, sessions, session_minutes, queued_jobs }) => {
        const shares = { sessions, session_minutes, queued_jobs };
        const model = new ShareModel([course('c', students, { shares })]);
        const ends = new Map<number, { at: number; owner: string; since: number }>();
        let [submitted, next] = [0, 0];
        for (let minute = 0; minute < HOURS * 60; minute++) {
          for (const [fpgaId, { at, owner, since }] of ends) {
            const now = model.clock.now();
            if (now < at && model.shares.sessionLimitMs(fpgaId, owner) > 0) continue;
            expect(now - since).toBeLessThanOrEqual(session_minutes * MINUTE);
            model.end(fpgaId);
            ends.delete(fpgaId);
          }
          for (const { username } of students)
            if (codeOf(() => model.submit(username)) === 'accepted') submitted++;
          model.consider((fpgaId, owner) => {
            const since = model.clock.now();
            ends.set(fpgaId, { at: since + (holds[next++ % holds.length] ?? 1) * MINUTE, owner, since });
          });
          for (const { username } of students) {
            const use = model.shares.usageOf(username, 'Europe/Berlin', model.use);
            expect(use.sessions).toBeLessThanOrEqual(sessions);
            expect(use.queued_jobs).toBeLessThanOrEqual(queued_jobs);
          }
          model.clock.advance(MINUTE);
        }
        expect(model.served.length + model.waiting.length).toBe(submitted);
        const minutes = students.map(({ username }) => model.ledger.minutesToday(username, 'Europe/Berlin'));
        const fair = minutes.reduce((sum, one) => sum + one, 0) / minutes.length;
        // Ten nodes are in use all the time.
        expect(fair).toBeGreaterThan((HOURS * 60 * 10 * 0.95) / 30);
        for (const one of minutes) expect(Math.abs(one - fair)).toBeLessThanOrEqual(0.1 * fair);
      }),
      { numRuns: 4 },
    );
  });

  test('get the same time on nodes, however long their builds take and however often they fail', () => {
    const scenario = fc.record({
      builds: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 10, maxLength: 40 }),
      holds: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 50, maxLength: 200 }),
      failing: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(scenario, ({ builds, holds, failing }) => {
        const model = new ShareModel([course('c', students, { shares: { sessions: 1, queued_jobs: 1 } })]);
        const turns = new Map<number, { owner: string; built: number; ends: number }>();
        let next = 0;
        for (let minute = 0; minute < HOURS * 60; minute++) {
          for (const [fpgaId, { owner, built, ends }] of turns) {
            if (minute === built && ends > built) model.shares.sessionChanged(fpgaId, owner);
            if (minute < ends) continue;
            model.end(fpgaId);
            turns.delete(fpgaId);
          }
          for (const { username } of students) codeOf(() => model.submit(username));
          model.consider((fpgaId, owner) => {
            const student = students.findIndex(({ username }) => username === owner);
            const built = minute + (builds[student % builds.length] ?? 1);
            // The builds of these students never succeed.
            const hold = student < failing ? 0 : (holds[next++ % holds.length] ?? 1);
            turns.set(fpgaId, { owner, built, ends: built + hold });
          }, true);
          model.clock.advance(MINUTE);
        }
        const minutes = students.map(({ username }) =>
          model.ledger.minutesToday(username, 'Europe/Berlin', { builds: true }),
        );
        const fair = minutes.reduce((sum, one) => sum + one, 0) / minutes.length;
        expect(fair).toBeGreaterThan((HOURS * 60 * 10 * 0.95) / 30);
        for (const one of minutes) expect(Math.abs(one - fair)).toBeLessThanOrEqual(0.1 * fair);
      }),
      { numRuns: 4 },
    );
  });
});

test('without courses jobs get nodes in the order of acceptance', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }), (owners) => {
      const model = new ShareModel([]);
      for (const owner of owners) model.submit(owner);
      for (let at = 0; at < owners.length; at += 10) {
        model.consider();
        for (let node = 0; node < 10; node++) if (model.holders[node] !== null) model.end(node);
      }
      expect(model.served).toEqual(owners);
    }),
  );
});

describe('the line', () => {
  const order = (model: ShareModel) => model.shares.order(model.waiting).map(({ job }) => job.owner);

  test('a course keeps the places of its jobs, and its members take them by minutes', () => {
    const model = new ShareModel([
      course(
        'c',
        ['a', 'b'].map((one) => student(one)),
      ),
    ]);
    model.shares.sessionChanged(0, 'a');
    model.clock.advance(MINUTE);
    model.shares.sessionChanged(0, null);
    for (const owner of ['a', 'x', 'b', 'b', 'y']) model.submit(owner);
    expect(order(model)).toEqual(['b', 'x', 'a', 'b', 'y']);
  });

  test('a higher priority goes first', () => {
    const model = new ShareModel([course('c', [student('a')], { priority: 3 }), course('d', [student('b')])]);
    for (const owner of ['x', 'b', 'a']) model.submit(owner);
    expect(order(model)).toEqual(['a', 'x', 'b']);
  });

  test('is a permutation of what waits', () => {
    const model = new ShareModel([
      course(
        'c',
        ['a', 'b'].map((one) => student(one)),
        { priority: 1 },
      ),
      course(
        'd',
        ['b', 'd'].map((one) => student(one)),
      ),
    ]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'd', 'x'), { maxLength: 40 }), (owners) => {
        model.waiting = [];
        for (const owner of owners) model.submit(owner);
        expect(new Set(model.shares.order(model.waiting))).toEqual(new Set(model.waiting));
        expect(model.shares.order(model.waiting).length).toBe(owners.length);
      }),
    );
  });
});

describe('limits', () => {
  test('of several courses the most generous counts; a member’s own replaces the course’s; teachers have none', () => {
    const model = new ShareModel([
      course('c', [student('a'), student('b', { sessions: 3 }), { ...student('t'), role: 'teacher' }], {
        shares: { sessions: 1, queued_jobs: 1 },
      }),
      course('d', [student('a')], { shares: { sessions: 2, queued_jobs: 1 } }),
    ]);
    for (const [at, owner] of ['a', 'a', 'b', 'b', 't', 't', 't'].entries()) model.holders[at] = owner;
    const ask = (owner: string) => codeOf(() => model.shares.requireSubmit(owner, 'idle node', model.use));
    expect(['a', 'b', 't', 'x'].map(ask)).toEqual(['share_used_up', 'accepted', 'accepted', 'accepted']);
    model.submit('a');
    expect(codeOf(() => model.submit('a'))).toBe('share_used_up');
  });

  test('minutes of a day end at midnight of the course, and a session ends with them', () => {
    const model = new ShareModel(
      [course('c', [student('a')], { shares: { day_minutes: 60 } })],
      '2026-07-07T21:00:00Z',
    );
    model.shares.sessionChanged(0, 'a');
    expect(model.shares.sessionLimitMs(0, 'a')).toBe(60 * MINUTE);
    model.clock.advance(45 * MINUTE);
    expect(model.shares.sessionLimitMs(0, 'a')).toBe(15 * MINUTE);
    model.shares.sessionChanged(1, 'a');
    expect(model.shares.sessionLimitMs(0, 'a')).toBe(7.5 * MINUTE);
    model.clock.advance(7.5 * MINUTE);
    expect(model.shares.sessionLimitMs(0, 'a')).toBe(0);
    expect(codeOf(() => model.submit('a'))).toBe('share_used_up');
    // 22:00 UTC is midnight in Berlin.
    model.clock.advance(8 * MINUTE);
    expect(codeOf(() => model.submit('a'))).toBe('accepted');
  });

  test('a replacement continues its session, another holder begins one', () => {
    const model = new ShareModel([
      course('c', [student('a'), student('b')], { shares: { session_minutes: 30 } }),
    ]);
    model.shares.sessionChanged(0, 'a');
    model.clock.advance(20 * MINUTE);
    model.shares.sessionChanged(0, 'a');
    expect(model.shares.sessionLimitMs(0, 'a')).toBe(10 * MINUTE);
    model.shares.sessionChanged(0, 'b');
    expect(model.shares.sessionLimitMs(0, 'b')).toBe(30 * MINUTE);
  });

  test('the ledger goes on after a restart, without the time between', () => {
    const model = new ShareModel([course('c', [student('a')])]);
    model.shares.sessionChanged(0, 'a');
    model.clock.advance(10 * MINUTE);
    model.ledger.save();
    model.clock.advance(60 * MINUTE);
    const again = new Ledger(model.document, model.clock);
    model.clock.advance(5 * MINUTE);
    again.change(0, null, false, () => true);
    expect(again.minutesToday('a', 'Europe/Berlin')).toBe(15);
  });
});

describe('bookings', () => {
  const slot: Booking = { day: 'tuesday', from: '14:00', to: '16:00', nodes: 8 };

  test('idle nodes that a course still needs are not for others', () => {
    // 14:30 in Berlin.
    const model = new ShareModel([course('c', [student('a')], { bookings: [slot] })], '2026-07-07T12:30:00Z');
    const ask = (owner: string) => codeOf(() => model.shares.requireSubmit(owner, 'idle node', model.use));
    expect([ask('x'), ask('a')]).toEqual(['accepted', 'accepted']);
    model.holders.fill('x', 0, 2);
    expect([ask('x'), ask('a')]).toEqual(['nodes_booked', 'accepted']);
    model.submit('x');
    model.consider();
    expect(model.waiting.length).toBe(1);
    // Nodes that members already hold are not needed twice.
    model.holders.fill('a', 2, 9);
    expect(ask('x')).toBe('nodes_booked');
    model.holders[9] = null;
    model.holders[0] = 'a';
    expect(ask('x')).toBe('accepted');
    model.holders.fill('x', 0, 2);
    model.holders.fill(null, 2);
    model.clock.advance(90 * MINUTE);
    model.consider();
    expect(model.waiting.length).toBe(0);
  });

  test('follow the clock on the wall over a clock change', () => {
    const zone = { bookings: [{ ...slot, day: 'sunday', from: '02:00', to: '03:30' }] } as const;
    const booked = (at: string) =>
      bookedNodes(course('c', [], { bookings: [...zone.bookings] }), Date.parse(at));
    // Autumn: the hour from 02:00 comes twice. Spring: there is no 02:30.
    expect(['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:40Z'].map(booked)).toEqual([8, 8, 0]);
    expect(['2026-03-29T00:59Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z'].map(booked)).toEqual([0, 8, 0]);
  });
});
