import fc from 'fast-check';
import { expect, test } from 'vitest';
import { laidOut } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { assembleModule, FunctionBody } from '../../../../../server/boards/virtual/wasm/assembler.ts';
import { ClockUpdates, isIn } from '../../../../../server/boards/virtual/wasm/clock-updates.ts';
import { EdgeCode } from '../../../../../server/boards/virtual/wasm/edge-code.ts';
import { NetlistBuilder } from '../../../../support/boards/virtual/netlists.ts';

/** Rising and falling edges of the board's clock, and the edges of two clocks of the design. */
const DOMAINS = 4;

/** Words of one register each, whose clocks are of these domains: no two have an enable in common. */
function wordsOf(domains: readonly number[]) {
  const netlist = new NetlistBuilder();
  const clocks = Array.from({ length: DOMAINS - 2 }, (_, clock) => netlist.input(`clock ${clock}`));
  for (const domain of domains) {
    const clock = clocks[domain - 2];
    const enable = netlist.input('enable');
    const d = netlist.input('data');
    netlist.flipFlop(d, { enable, falling: domain === 1, ...(clock === undefined ? {} : { clock }) });
  }
  const { design, parts, layout } = laidOut(netlist.build());
  return { design, layout, taken: new ClockUpdates(design, parts) };
}

/** The code of an edge of a domain; `changed` are the cells that mark changed sources. */
function edgeOf(
  { design, layout, taken }: ReturnType<typeof wordsOf>,
  domain: number,
  watched: Uint32Array,
  more: boolean,
) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const words = new Int32Array(memory.buffer);
  const changed = (k: number) => layout.bytes + 4 * k;
  const body = new FunctionBody('edge', 0, 1);
  const moved = body.newLocal();
  new EdgeCode(design, layout, taken, new Map(), watched, changed).write(body, domain, moved, more);
  body.get(moved);
  const module = new WebAssembly.Module(assembleModule([body]));
  const { edge } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  if (typeof edge !== 'function') throw new Error('There is no code of an edge.');
  return { words, changed, edge: () => Number(edge()) !== 0 };
}

test('an edge updates its clock’s registers and reports which watched sources have changed', () => {
  /** Vectors of words that would have been in two sets. */
  let across = 0;
  fc.assert(
    fc.property(
      // Runs of words of one clock, so that vectors begin anywhere.
      fc.array(fc.tuple(fc.nat(DOMAINS - 1), fc.integer({ min: 1, max: 23 })), {
        minLength: 1,
        maxLength: 7,
      }),
      fc.nat(DOMAINS - 1),
      fc.boolean(),
      fc.infiniteStream(fc.integer()),
      (runs, domain, more, stream) => {
        const random = () => stream.next().value ?? 0;
        const machine = wordsOf(runs.flatMap(([one, count]) => new Array<number>(count).fill(one)));
        const { layout, taken } = machine;
        const sources = Array.from({ length: taken.sources }, (_, source) => source);
        const watched = Uint32Array.from({ length: taken.sets }, random);
        const { words, changed, edge } = edgeOf(machine, domain, watched, more);
        const cell = (address: number) => address >> 2;
        const now = (source: number) => cell(layout.word(taken.first + source));
        const next = (source: number) => cell(layout.next(taken.first + source));
        for (let k = 0; k < taken.sets; k++) words[cell(changed(k))] = random();
        for (const source of sources) {
          words[now(source)] = random();
          words[next(source)] = random() & 1 ? (words[now(source)] ?? 0) : random();
        }
        const before = words.slice();
        const isOf = (source: number) => taken.domainOf(taken.first + source) === domain;
        const differs = (source: number) => isOf(source) && before[now(source)] !== before[next(source)];
        expect(edge()).toBe(sources.some(differs));
        const told = Uint32Array.from(watched, (_, k) => words[cell(changed(k))] ?? 0);
        const toldBefore = Uint32Array.from(watched, (_, k) => before[cell(changed(k))] ?? 0);
        for (const source of sources) {
          expect(words[now(source)]).toBe(before[(isOf(source) ? next : now)(source)]);
          if (!isIn(watched, source)) continue;
          expect(isIn(told, source)).toBe(differs(source) || (more && isIn(toldBefore, source)));
        }
        for (const { from, count } of taken.wordsOf(domain))
          if (from < 32 && from + count > 32 && (32 - from) % 4 !== 0 && from + count >= 35) across++;
      },
    ),
    { numRuns: 300 },
  );
  expect(across).toBeGreaterThan(0);
});
