import { expect, test } from 'vitest';
import { type Curve, drawPicture } from '../../../renderer/src/screens/node/registers/plot/draw.ts';
import { Series } from '../../../renderer/src/state/samples/series.ts';

/** Calls of a canvas: pixels of paths by whether they are dashed, bars, and texts with their places. */
function canvas() {
  const asked = {
    dashed: 0,
    solid: 0,
    bars: [] as [number, number, number, number][],
    texts: [] as [string, number][],
  };
  let [x, y, length, dash] = [0, 0, 0, [] as number[]];
  const known = {
    beginPath: () => {
      length = 0;
    },
    moveTo: (px: number, py: number) => {
      [x, y] = [px, py];
    },
    lineTo: (px: number, py: number) => {
      length += Math.abs(px - x) + Math.abs(py - y);
      [x, y] = [px, py];
    },
    setLineDash: (to: number[]) => {
      dash = to;
    },
    stroke: () => {
      if (dash.length > 0) asked.dashed += length;
      else asked.solid += length;
    },
    fillRect: (...bar: [number, number, number, number]) => asked.bars.push(bar),
    fillText: (text: string, at: number) => asked.texts.push([text, at]),
  };
  const context = new Proxy(known, {
    get: (target, name) => (name in target ? target[name as keyof typeof target] : () => {}),
    set: () => true,
  });
  return { asked, context: context as unknown as CanvasRenderingContext2D };
}

const [WIDTH, HEIGHT] = [900, 300];

/** Ten curves with these samples in a minute, each far from the one before. */
function curves(samples: number): Curve[] {
  return Array.from({ length: 10 }, (_, at) => {
    const series = new Series();
    for (let i = 0; i < samples; i += 1) series.push((60 * i) / samples, ((i + at) % 7) * 9000);
    return { address: 4 * at, name: `R${at}`, series, live: true };
  });
}

function draw(samples: number, format: 'hex' | 'signed' = 'hex') {
  const { asked, context } = canvas();
  const picture = { from: 0, to: 60, now: 60, curves: curves(samples), lanes: [], writes: [], markers: [] };
  const rest = { cursor: undefined, selection: undefined, separate: false, format };
  drawPicture(context, WIDTH, HEIGHT, { ...picture, ...rest }, () => 'black');
  return asked;
}

test('few samples are drawn as dashed steps', () => {
  const { dashed, bars } = draw(20);
  expect(dashed).toBeGreaterThan(9 * 700);
  expect(bars).toEqual([]);
});

test.each([['hex'], ['signed']] as const)(
  'an hour of samples is drawn as bars, not thousands of dashes: %s',
  (format) => {
    const { dashed, solid, bars } = draw(72_000, format);
    expect(dashed + solid).toBeLessThan(20 * WIDTH * 10);
    expect(bars.length).toBeGreaterThan(9 * 700);
    // Each from the lowest to the highest of its samples.
    for (const [, , , high] of bars.slice(10, 20)) expect(high).toBeGreaterThan(HEIGHT / 2);
  },
);

test('visibly oscillating samples are drawn as a solid line', () => {
  const { dashed, solid } = draw(1200);
  expect(solid).toBeGreaterThan(0);
  expect(dashed).toBe(0);
});

test('times at the edges are written whole', () => {
  const times = draw(20).texts.filter(([text]) => /^\d\d:\d\d:\d\d$/.test(text));
  // There are marks at both ends of the minute that is drawn.
  expect(times.length).toBeGreaterThan(5);
  // As wide as eight characters of 11 pixels in any typeface of even width.
  for (const [, at] of times) {
    expect(at).toBeGreaterThanOrEqual(8 * 3.3);
    expect(at).toBeLessThanOrEqual(WIDTH - 8 * 3.3);
  }
});
