import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UartPeer, type UartPins } from '../../../../../server/boards/virtual/runtime/uart-peer.ts';

/** A wire from rx to tx that takes `delay` clocks: what goes in comes out, a little later. */
class Wire implements UartPins {
  #rx: 0 | 1 = 1;
  readonly #inside: (0 | 1)[];
  #out: 0 | 1 = 1;
  clocks = 0;

  constructor(delay: number) {
    this.#inside = new Array(delay).fill(1);
  }

  setRx(level: 0 | 1): void {
    this.#rx = level;
  }

  tx(): number {
    return this.#out;
  }

  laborious(): boolean {
    return false;
  }

  run(cycles: number): number {
    if (!Number.isInteger(cycles) || cycles < 1) throw new Error(`a design cannot run ${cycles} clocks`);
    for (let done = 1; done <= cycles; done++) {
      this.clocks++;
      this.#inside.push(this.#rx);
      const next = this.#inside.shift() ?? 1;
      if (next !== this.#out) {
        this.#out = next;
        return done;
      }
    }
    return cycles;
  }
}

const CLOCK = 12_000_000;

test('bytes come back as they were sent, at any rate of four clocks a bit or more', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.integer({ min: 9600, max: 3_000_000 }),
      fc.integer({ min: 1, max: 50 }),
      (bytes, baud, delay) => {
        const peer = new UartPeer(new Wire(delay), CLOCK, baud);
        peer.send(bytes);
        peer.advance(Math.ceil(((bytes.length + 1) * 10 * CLOCK) / baud) + delay);
        expect(peer.take()).toEqual(bytes);
        expect(peer.framingErrors).toBe(0);
        expect(peer.quiet).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test('a response ends the turn some bit times after its last byte, at any rate', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 20 }),
      fc.integer({ min: 9600, max: 3_000_000 }),
      (bytes, baud) => {
        const bit = CLOCK / baud;
        const peer = new UartPeer(new Wire(3), CLOCK, baud);
        peer.send(bytes);
        peer.advance(100 * bytes.length * Math.ceil(bit) + 1000, true);
        expect(peer.take()).toEqual(bytes);
        expect(peer.quiet).toBe(true);
        // Half of the last stop bit, and three bytes of quiet.
        expect(peer.now - 10 * bit * bytes.length).toBeGreaterThan(29 * bit - 5);
        expect(peer.now - 10 * bit * bytes.length).toBeLessThan(31 * bit + 5);
      },
    ),
    { numRuns: 60 },
  );
});

test('bytes take ten bit times each, at the line rate and no faster', () => {
  for (const baud of [3_000_000, 1_000_000, 115_200]) {
    const wire = new Wire(1);
    const peer = new UartPeer(wire, CLOCK, baud);
    peer.send(new Uint8Array(100).fill(0x55));
    const expected = (100 * 10 * CLOCK) / baud;
    const bit = Math.ceil(CLOCK / baud);
    peer.advance(Math.floor(expected) - 2 * bit);
    expect(peer.quiet).toBe(false);
    peer.advance(4 * bit);
    expect(peer.quiet).toBe(true);
    expect(wire.clocks).toBe(peer.now);
  }
});

test('advancing in pieces equals advancing at once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 200 }), (pieces) => {
      const total = pieces.reduce((sum, piece) => sum + piece, 0);
      const [whole, parts] = [new UartPeer(new Wire(7), CLOCK, 1e6), new UartPeer(new Wire(7), CLOCK, 1e6)];
      const bytes = Uint8Array.of(1, 2, 0x80, 0xff, 0);
      whole.send(bytes);
      parts.send(bytes);
      whole.advance(total);
      for (const piece of pieces) parts.advance(piece);
      expect([...parts.take()]).toEqual([...whole.take()]);
    }),
    { numRuns: 30 },
  );
});

/** A design that sends the given levels, clock by clock, then rests high. */
function sender(levels: (0 | 1)[]): UartPins {
  let at = 0;
  const run = () => {
    at++;
    return 1;
  };
  return { setRx() {}, tx: () => levels[at] ?? 1, run, laborious: () => false };
}

const times = (level: 0 | 1, clocks: number): (0 | 1)[] => new Array(clocks).fill(level);

test('a frame at another rate is received as another byte', () => {
  const frame = [...times(1, 20), ...times(0, 12), ...times(1, 48), ...times(0, 48), ...times(1, 12)];
  const received = (baud: number) => {
    const peer = new UartPeer(sender(frame), CLOCK, baud);
    peer.advance(400);
    return [...peer.take()];
  };
  expect(received(1_000_000)).toEqual([0x0f]);
  expect(received(3_000_000)).not.toContain(0x0f);
});

test('a break is a framing error, not a byte', () => {
  const peer = new UartPeer(sender([...times(1, 20), ...times(0, 1000)]), CLOCK, 1_000_000);
  peer.advance(500);
  expect([peer.take().length, peer.framingErrors]).toEqual([0, 1]);
  peer.advance(1000);
  expect([peer.take().length, peer.framingErrors, peer.quiet]).toEqual([0, 1, true]);
});
