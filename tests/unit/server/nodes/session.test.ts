import { expect, test } from 'vitest';
import {
  createSession,
  GRACE_MS,
  type LeasedSession,
  renewSession,
  SessionTimer,
  timeLeft,
} from '../../../../server/nodes/session.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const HOUR = 3_600_000;

const session = (clock: FakeClock, ttlSeconds: number, sessionId = 'a') =>
  createSession({ sessionId, fpgaId: 4, owner: 'alice', ttlSeconds, clock });

function watched(clock: FakeClock) {
  const expired: { id: string; at: number }[] = [];
  const drifted: number[] = [];
  const timer = new SessionTimer(clock, {
    expired: ({ session_id: id }) => expired.push({ id, at: clock.monotonic() }),
    drifted: (_session, left) => drifted.push(left),
  });
  const watch = ({ session: one, lease }: LeasedSession) => timer.watch(one, lease.left_ms);
  return { timer, watch, expired, drifted };
}

test('a session lives for its TTL and a run renews it', () => {
  const clock = new FakeClock();
  const first = session(clock, 3600);
  expect(first.session).toEqual({
    session_id: 'a',
    fpga_id: 4,
    owner: 'alice',
    expires_at: '2024-03-01T13:00:00.000Z',
  });
  clock.advance(1_800_000);
  expect(timeLeft(first.lease, clock)).toBe(1_800_000);
  expect(renewSession(first, 3600, clock)?.session.expires_at).toBe('2024-03-01T13:30:00.000Z');
  // A shorter TTL, set meanwhile, does not shorten a running session.
  expect(renewSession(first, 60, clock)).toBeNull();
});

test('without a clock since the boot, the time of this process counts', () => {
  const clock = new FakeClock();
  const plain = { now: () => clock.now(), monotonic: () => clock.monotonic(), after: () => () => {} };
  const { lease } = createSession({
    sessionId: 'a',
    fpgaId: 4,
    owner: 'alice',
    ttlSeconds: 60,
    clock: plain,
  });
  clock.setWall(HOUR);
  clock.advance(20_000);
  expect(timeLeft(lease, plain)).toBe(40_000);
});

test('the timer fires once, at the time set by the last renewal', () => {
  const clock = new FakeClock();
  const { watch, expired } = watched(clock);
  const first = session(clock, 10);
  watch(first);
  clock.advance(9_000);
  watch(renewSession(first, 10, clock) as LeasedSession);
  expect(clock.pending).toBe(1);
  clock.advance(9_999);
  expect(expired).toEqual([]);
  clock.advance(1);
  expect(expired).toEqual([{ id: 'a', at: clock.monotonic() }]);
  clock.advance(100_000);
  expect(expired).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test('the timer drops an ended session and watches a new one', () => {
  const clock = new FakeClock();
  const { timer, watch, expired } = watched(clock);
  watch(session(clock, 3600));
  timer.watch(null);
  expect(clock.pending).toBe(0);
  watch(session(clock, 3600, 'b'));
  watch(session(clock, 5, 'c'));
  clock.advance(5_000);
  expect(expired.map(({ id }) => id)).toEqual(['c']);
  clock.advance(10_000_000);
  expect(expired).toHaveLength(1);
});

for (const hours of [-30, -2, 2, 30])
  test(`a clock set by ${hours} hours changes only the displayed end`, () => {
    const clock = new FakeClock();
    const { watch, expired, drifted } = watched(clock);
    watch(session(clock, 3600));
    clock.setWall(hours * HOUR);
    clock.advance(30_000);
    expect(drifted).toEqual([HOUR - 30_000]);
    clock.advance(HOUR - 30_001);
    expect(expired).toEqual([]);
    clock.advance(1);
    expect(expired).toHaveLength(1);
  });

test('no session expires while the computer sleeps, and it expires normally afterwards', () => {
  const clock = new FakeClock();
  const { watch, expired } = watched(clock);
  watch(session(clock, 3600));
  clock.sleep(8 * HOUR);
  clock.advance(HOUR - 120_000);
  expect(expired).toEqual([]);
  clock.advance(120_000);
  expect(expired).toHaveLength(1);
});

test('a service restart without a reboot ignores the wall clock', () => {
  const clock = new FakeClock();
  const { lease } = session(clock, 3600);
  clock.setWall(-5 * HOUR);
  clock.advance(HOUR / 2);
  expect(timeLeft(lease, clock)).toBe(HOUR / 2);
  clock.setWall(20 * HOUR);
  expect(timeLeft(lease, clock)).toBe(HOUR / 2);
  clock.advance(HOUR / 2);
  expect(timeLeft(lease, clock)).toBe(0);
});

test('where boots have no name, a lease of this process ignores the wall clock, and a late use renews it', () => {
  const clock = new FakeClock();
  clock.boot = null;
  const held = session(clock, 60);
  clock.setWall(-5 * HOUR);
  clock.advance(59_000);
  expect(timeLeft(held.lease, clock)).toBe(1000);
  expect(renewSession(held, 10, clock)?.lease.left_ms).toBe(10_000);
});

test('after a reboot a wrong clock makes no session eternal or expired at once', () => {
  for (const boot of ['another start', null]) {
    const clock = new FakeClock();
    const { lease } = session(clock, 3600);
    clock.boot = boot;
    clock.advance(HOUR / 4);
    expect(timeLeft(lease, clock)).toBe((3 * HOUR) / 4);
    clock.setWall(-1000 * HOUR);
    expect(timeLeft(lease, clock)).toBe(HOUR);
    clock.setWall(3000 * HOUR);
    expect(timeLeft(lease, clock)).toBe(GRACE_MS);
  }
});
