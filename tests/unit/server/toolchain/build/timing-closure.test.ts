import { expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { toolchainError } from '../../../../../server/errors/toolchain.ts';
import { RouterCircles } from '../../../../../server/toolchain/build/progress.ts';
import type { StageContext } from '../../../../../server/toolchain/build/stage-context.ts';
import { closeTiming } from '../../../../../server/toolchain/build/timing-closure.ts';
import { Findings } from '../../../../../server/toolchain/diagnostics/findings.ts';
import { TIMING } from '../../../../../server/toolchain/families/family.ts';
import { ice40 } from '../../../../../server/toolchain/families/ice40/ice40.ts';
import type { ToolEngine } from '../../../../../server/toolchain/tool-engine.ts';
import { record, requestOf } from '../../../../support/toolchain/build/support.ts';

/**
 * A message of nextpnr's router when two of 2,387 connections compete for one place without end: recorded, except for
 * the first number.
 */
const inCircles = (steps: number) =>
  `Info: ${String(steps).padStart(10)} | ${String(steps - 109).padStart(8)}        108 | 1000     0 |      2387|       0.11       7.81|`;

/** An engine whose place and route tool reaches the given Fmax for each seed, and stops at loops or fails on demand. */
function engineWith(
  fmaxOfSeed: number[],
  hasLoop = false,
  failure: string | null = null,
  failsAt: string | null = null,
  circles: (seed: number, netlist: string) => boolean = () => false,
) {
  const runs: { seed: number; ignoreLoops: boolean }[] = [];
  const netlists: string[] = [];
  const engine: ToolEngine = {
    name: 'embedded',
    versions: async () => ({}),
    close: async () => {},
    async run({ args, outputs, onLine, late, signal }) {
      const [netlist] = await Promise.all(Object.values(late ?? {}));
      netlists.push(String(Buffer.from(netlist ?? '')));
      const seed = Number(args[args.indexOf('--seed') + 1]);
      const ignoreLoops = args.includes('--ignore-loops');
      runs.push({ seed, ignoreLoops });
      if (hasLoop && !ignoreLoops) {
        onLine('ERROR: Timing analysis failed due to combinational loops.');
        throw toolchainError('tool_crashed');
      }
      if (failure !== null && (failsAt === null || netlists.at(-1) === failsAt)) {
        onLine(failure);
        throw toolchainError('tool_crashed');
      }
      if (circles(seed, netlists.at(-1) ?? '')) {
        for (let steps = 1000; !signal?.aborted && steps < 1_000_000; steps += 1000) onLine(inCircles(steps));
        signal?.throwIfAborted();
      }
      onLine(`Info: Routing.. seed ${seed}`);
      const fmax = { clk: { achieved: fmaxOfSeed[seed - 1], constraint: 0 } };
      const contents = (name: string) =>
        Buffer.from(name === TIMING ? JSON.stringify({ fmax }) : `seed ${seed}`);
      return { files: Object.fromEntries(outputs.map((name) => [name, contents(name)])), seconds: 1 };
    },
  };
  const build = record();
  const context: StageContext = {
    engine,
    family: ice40,
    board: requestOf('').board,
    uploaded: ['a.v'],
    placeOf: () => null,
    stageDeadline: 1,
    build,
    clock: systemClock,
    findings: new Findings(),
  };
  const close = (megahertz: number) =>
    closeTiming(context, { netlist: Promise.resolve(new Uint8Array()), constraints: '', megahertz });
  /** With a netlist of the same design that is to be tried first. */
  const closeWithFirst = (megahertz: number, first: Promise<Uint8Array>) => {
    const netlist = Promise.resolve(Buffer.from('usual'));
    return closeTiming(context, { netlist, first, constraints: '', megahertz });
  };
  return { runs, netlists, build, close, closeWithFirst, findings: context.findings };
}

const otherNetlist = () => Promise.resolve(Buffer.from('other'));
const STUMBLES = 'ERROR: static placer: no legal position';

test('tries the alternative netlist first, and further seeds with the usual netlist', async () => {
  const { runs, netlists, closeWithFirst } = engineWith([95, 102]);
  expect((await closeWithFirst(100, otherNetlist())).timing).toMatchObject({ fmax_mhz: 102, met: true });
  expect(netlists).toEqual(['other', 'usual']);
  expect(runs.map(({ seed }) => seed)).toEqual([1, 2]);
});

test('falls back to the usual netlist after a crash with the alternative, and reports no error', async () => {
  const { netlists, closeWithFirst, build, findings } = engineWith([101], false, STUMBLES, 'other');
  expect((await closeWithFirst(100, otherNetlist())).timing.met).toBe(true);
  expect(netlists).toEqual(['other', 'usual']);
  expect(findings.all).toEqual([]);
  expect(build.text()).toContain('Trying again without placement hints.');
});

test('reports the error once if the usual netlist crashes the tool, too', async () => {
  const { netlists, closeWithFirst } = engineWith([], false, STUMBLES);
  await expect(closeWithFirst(100, otherNetlist())).rejects.toMatchObject({ code: 'tool_crashed' });
  expect(netlists).toEqual(['other', 'usual']);
});

test('without an alternative a crash is final, and so is a failed synthesis', async () => {
  const same = engineWith([], false, STUMBLES);
  await expect(same.close(100)).rejects.toMatchObject({ code: 'tool_crashed' });
  expect(same.netlists).toHaveLength(1);
  const unmade = engineWith([100]);
  const failed = Promise.reject(toolchainError('design_invalid'));
  await expect(unmade.closeWithFirst(100, failed)).rejects.toMatchObject({ code: 'design_invalid' });
  expect(unmade.runs).toEqual([]);
});

test('routes another placement if the router loops', async () => {
  const { runs, close, build, findings } = engineWith([101, 102], false, null, null, (seed) => seed === 1);
  expect((await close(100)).timing).toMatchObject({ fmax_mhz: 102, met: true });
  expect(runs.map(({ seed }) => seed)).toEqual([1, 2]);
  expect(build.text()).toContain(
    'The router made no progress: it kept rerouting the same connections. Placing and routing again, with seed 2 of 4.',
  );
  expect(findings.all).toEqual([]);
});

test('a looping router falls back from the alternative to the usual netlist, then to the next seed', async () => {
  const first = engineWith([101], false, null, null, (_seed, netlist) => netlist === 'other');
  expect((await first.closeWithFirst(100, otherNetlist())).timing.met).toBe(true);
  expect(first.netlists).toEqual(['other', 'usual']);
  const both = engineWith([101, 102], false, null, null, (seed) => seed === 1);
  expect((await both.closeWithFirst(100, otherNetlist())).timing.fmax_mhz).toBe(102);
  expect(both.netlists).toEqual(['other', 'usual', 'usual']);
});

test('rejects a design whose router loops with every placement', async () => {
  const { runs, close } = engineWith([], false, null, null, () => true);
  await expect(close(100)).rejects.toMatchObject({
    code: 'build_unroutable',
    message: 'The router made no progress: it kept rerouting the same connections.',
  });
  expect(runs.map(({ seed }) => seed)).toEqual([1, 2, 3, 4]);
});

test('skips a further timing attempt whose router loops', async () => {
  const { runs, close } = engineWith([95, 0, 103], false, null, null, (seed) => seed === 2);
  expect((await close(100)).timing).toMatchObject({ fmax_mhz: 103, met: true });
  expect(runs.map(({ seed }) => seed)).toEqual([1, 2, 3]);
});

test('does not stop a router that makes progress, however slowly', () => {
  const circles = new RouterCircles();
  expect(circles.add('Info: Routing 2495 arcs.')).toBe(false);
  for (let remaining = 2387; remaining > 0; remaining--)
    expect(circles.add(inCircles((2388 - remaining) * 19_000).replace('2387|', `${remaining}|`))).toBe(false);
  // With many connections it has more time.
  const large = new RouterCircles();
  large.add('Info: Routing 40000 arcs.');
  const heard = Array.from({ length: 162 }, (_, thousands) => large.add(inCircles((thousands + 1) * 1000)));
  expect(heard.indexOf(true)).toBe(160);
});

test('a cell without a site in a full part makes the design too large, even if the tool then crashes', async () => {
  const full =
    "ERROR: Unable to find legal placement for cell 'a_LC' of type 'ICESTORM_LC' after 159896 attempts, check constraints and utilisation.";
  await expect(engineWith([], false, full).close(12)).rejects.toMatchObject({ code: 'build_too_large' });
});

test('a target met at once needs one run', async () => {
  const { runs, close } = engineWith([101]);
  expect((await close(100)).timing).toMatchObject({ fmax_mhz: 101, met: true });
  expect(runs).toHaveLength(1);
});

test('retries a narrowly missed target with other seeds until one meets it', async () => {
  const { runs, close, build } = engineWith([95, 90, 102, 110]);
  const { timing, placed } = await close(100);
  expect(timing).toMatchObject({ fmax_mhz: 102, met: true });
  expect(Buffer.from(placed.files['design.asc']!).toString()).toBe('seed 3');
  expect(runs.map(({ seed }) => seed)).toEqual([1, 2, 3]);
  expect(build.text()).toContain('Fmax 95 MHz is below the target of 100 MHz');
  // The stage does not go back to placing, nor the progress.
  const stages = build.lines.map(({ stage }) => stage);
  expect(stages.lastIndexOf('place')).toBeLessThan(stages.indexOf('route'));
});

test('selects the fastest run if none meets the target', async () => {
  const { runs, close } = engineWith([95, 98, 97, 90]);
  const { timing, placed } = await close(100);
  expect(timing).toMatchObject({ fmax_mhz: 98, met: false });
  expect(Buffer.from(placed.files['design.asc']!).toString()).toBe('seed 2');
  expect(runs).toHaveLength(4);
});

test('does not retry a target out of reach', async () => {
  const { runs, close } = engineWith([79, 200]);
  expect((await close(100)).timing.met).toBe(false);
  expect(runs).toHaveLength(1);
});

test('loops allowed once are allowed in every further run', async () => {
  const { runs, close } = engineWith([90, 120], true);
  expect((await close(100)).timing.met).toBe(true);
  expect(runs).toEqual([
    { seed: 1, ignoreLoops: false },
    { seed: 1, ignoreLoops: true },
    { seed: 2, ignoreLoops: true },
  ]);
});
