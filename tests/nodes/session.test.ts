import { expect, test } from 'vitest';
import { createSession, renewSession, SessionTimer, timeLeft } from '../../server/nodes/session.ts';
import { FakeClock } from '../support/fake-clock.ts';

const session = (clock: FakeClock, ttlSeconds: number, sessionId = 'a') =>
  createSession({ sessionId, fpgaId: 4, owner: 'alice', ttlSeconds, now: clock.now() });

test('a session lives for its TTL and a run renews it', () => {
  const clock = new FakeClock();
  const first = session(clock, 3600);
  expect(first).toEqual({
    session_id: 'a',
    fpga_id: 4,
    owner: 'alice',
    expires_at: '2024-03-01T13:00:00.000Z',
  });
  clock.advance(1_800_000);
  expect(timeLeft(first, clock.now())).toBe(1_800_000);
  expect(renewSession(first, 3600, clock.now()).expires_at).toBe('2024-03-01T13:30:00.000Z');
  // A shorter TTL, set meanwhile, takes nothing away from a session that has begun.
  expect(renewSession(first, 60, clock.now())).toBe(first);
});

test('the timer tells once, at the time that the last renewal set', () => {
  const clock = new FakeClock();
  const told: number[] = [];
  const timer = new SessionTimer(clock, () => told.push(clock.now()));
  const first = session(clock, 10);
  timer.watch(first);
  clock.advance(9_000);
  const renewed = renewSession(first, 10, clock.now());
  timer.watch(renewed);
  expect(clock.pending).toBe(1);
  clock.advance(9_999);
  expect(told).toEqual([]);
  clock.advance(1);
  expect(told).toEqual([Date.parse(renewed.expires_at)]);
  clock.advance(100_000);
  expect(told).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test('the timer forgets a session that has ended and follows a new one', () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const timer = new SessionTimer(clock, ({ session_id }) => told.push(session_id));
  timer.watch(session(clock, 3600));
  timer.watch(null);
  expect(clock.pending).toBe(0);
  timer.watch(session(clock, 3600, 'b'));
  timer.watch(session(clock, 5, 'c'));
  clock.advance(5_000);
  expect(told).toEqual(['c']);
  clock.advance(10_000_000);
  expect(told).toEqual(['c']);
});
