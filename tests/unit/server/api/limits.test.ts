import type { FastifyReply } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { originOf, THIS_COMPUTER } from '../../../../server/api/edge/address.ts';
import { Limits } from '../../../../server/api/edge/limits.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

let clock: FakeClock;
let limits: Limits;
let retryAfter: number | undefined;
const reply: FastifyReply = {
  header: (_name: string, value: number) => {
    retryAfter = value;
  },
} as never;
beforeEach(() => {
  clock = new FakeClock();
  limits = new Limits(clock);
  retryAfter = undefined;
});

const patient = (origin: string) => {
  try {
    limits.requirePatience(origin, reply);
    return true;
  } catch {
    return false;
  }
};

test('requests above the limit are refused until the minute has passed', () => {
  for (let i = 0; i < 60; i++) limits.request('a', 60, reply);
  clock.advance(45_000);
  expect(() => limits.request('a', 60, reply)).toThrow(/Too many requests/);
  expect(retryAfter).toBe(15);
  limits.request('b', 60, reply);
  clock.advance(15_000);
  limits.request('a', 60, reply);
});

test('every wrong guess beyond ten doubles the wait of its address, up to five minutes', () => {
  for (let i = 0; i < 9; i++) limits.guessed('192.0.2.1');
  expect(patient('192.0.2.1')).toBe(true);
  const waits: number[] = [];
  for (let i = 0; i < 11; i++) {
    limits.guessed('192.0.2.1');
    expect(patient('192.0.2.1')).toBe(false);
    waits.push(retryAfter ?? 0);
    clock.advance((retryAfter ?? 0) * 1000);
    expect(patient('192.0.2.1')).toBe(true);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(patient('192.0.2.2')).toBe(true);
  // After a quarter of an hour without a guess it starts again.
  clock.advance(15 * 60_000);
  limits.guessed('192.0.2.1');
  expect(patient('192.0.2.1')).toBe(true);
});

test('guesses from an address do not affect this computer, whose own are limited by the minute', () => {
  for (let i = 0; i < 1000; i++) limits.guessed('192.0.2.1');
  expect(patient(THIS_COMPUTER)).toBe(true);
  for (let i = 0; i < 600; i++) limits.guessed(THIS_COMPUTER);
  expect(patient(THIS_COMPUTER)).toBe(false);
  clock.advance(60_000);
  expect(patient(THIS_COMPUTER)).toBe(true);
});

test('at most ten thousand addresses are remembered', () => {
  for (let i = 0; i < 50; i++) limits.guessed('192.0.2.1');
  for (let i = 0; i < 9_999; i++) limits.guessed(`10.0.${i >> 8}.${i & 255}`);
  expect(limits.mustWait('192.0.2.1')).toBe(true);
  limits.guessed('10.1.0.0');
  expect(limits.mustWait('192.0.2.1')).toBe(false);
});

test.each([
  ['127.0.0.1', THIS_COMPUTER],
  ['::1', THIS_COMPUTER],
  ['::ffff:127.0.0.1', THIS_COMPUTER],
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s is counted as %s', (address, origin) => {
  expect(originOf(address)).toBe(origin);
});
