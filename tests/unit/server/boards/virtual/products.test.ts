import { expect, test } from 'vitest';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { type Literal, LutGraph, tableOf } from '../../../../../server/boards/virtual/words/lut-graph.ts';
import { type Product, productsOf } from '../../../../../server/boards/virtual/words/products.ts';
import { WordGraph } from '../../../../../server/boards/virtual/words/word-graph.ts';
import { generator } from '../../../../support/boards/virtual/random-design.ts';
import { recordedNetlist } from '../../../../support/boards/virtual/recorded-netlists.ts';
import { firstDifference } from '../../../../support/boards/virtual/side-by-side.ts';
import { SOAK } from '../../../../support/soak.ts';

/** Changed tables that are tried. */
const MUTANTS = SOAK ? 120 : 3;
/** Steps side by side: each of the engines takes half a second to compile for some of them. */
const STEPS = SOAK ? 40 : 12;

/** Values of all nodes where the leaves have random values. */
function evaluated(graph: LutGraph, random: (most: number) => number): number[] {
  // Bits that are mostly 1 or mostly 0 make long carries and extreme factors.
  const rare = random(6);
  const values: number[] = [];
  for (const node of graph.nodes) {
    const made = tableOf(node);
    const entry = made?.operands.reduce((at, one, k) => at | (((values[one >> 1] ?? 0) ^ (one & 1)) << k), 0);
    const leaf = rare < 2 ? random(2) : (random(12) === 0 ? 1 : 0) ^ (rare & 1);
    values.push(made ? (made.table >> (entry ?? 0)) & 1 : node.kind === 'leaf' ? leaf : 0);
  }
  return values;
}

/** Whether nodes with these values have the bits of the product, computed in another way. */
function isRightFor(values: readonly number[], { a, b, addends, isSigned, width, bits }: Product): boolean {
  const bit = (literal: Literal) => (values[literal >> 1] ?? 0) ^ (literal & 1);
  const number = (literals: readonly Literal[]) =>
    literals.reduce((sum, literal, k) => sum + (BigInt(bit(literal)) << BigInt(k)), 0n);
  const factor = (literals: readonly Literal[]) =>
    isSigned ? BigInt.asIntN(literals.length, number(literals)) : number(literals);
  const sum = addends.reduce((all, addend) => all + number(addend), factor(a) * factor(b));
  const right = BigInt.asUintN(width, sum);
  return bits.every(({ literal, position }) => BigInt(bit(literal)) === ((right >> BigInt(position)) & 1n));
}

/** Those products whose bits are wrong in one of many random cases. */
function wrongOf(graph: LutGraph, products: readonly Product[]): Product[] {
  const random = generator(3);
  const wrong = new Set<Product>();
  for (let round = 0; round < 400; round++) {
    const values = evaluated(graph, random);
    for (const product of products) if (!isRightFor(values, product)) wrong.add(product);
  }
  return [...wrong];
}

const kindOf = ({ a, b, isSigned, addends, width }: Product) =>
  `${isSigned ? 'signed ' : ''}${[a.length, b.length].sort((x, y) => y - x).join(' x ')}${addends.map(() => ' +').join('')} = ${width}`;

test('products are found, with all their bits', async () => {
  const graph = new LutGraph(await recordedNetlist('products'));
  const products = productsOf(graph);
  expect(products.map(kindOf).sort()).toEqual([
    '10 x 10 = 20',
    '17 x 17 = 34',
    '32 x 32 = 32',
    '8 x 8 + = 24',
    'signed 12 x 9 + = 21',
    'signed 16 x 16 = 32',
  ]);
  expect(wrongOf(graph, products)).toEqual([]);
}, 60_000);

// 23,400 without products; most of the others make the factors.
test('six products compile to fewer than 1,500 operations, and give the same results in words as in events', async () => {
  const netlist = await recordedNetlist('products');
  const machine = new Machine(compile(netlist));
  machine.evaluateIn('words');
  expect(machine.words?.operations).toBeLessThan(1500);
  expect(firstDifference(netlist, 1, STEPS)).toBeNull();
}, 120_000);

test('with one wrong entry in one table no other product is found', async () => {
  const netlist = await recordedNetlist('products');
  const random = generator(11);
  const before = productsOf(new LutGraph(netlist)).length;
  let fewer = 0;
  for (let mutant = 0; mutant < MUTANTS; mutant++) {
    const at = random(netlist.luts.length);
    const luts = netlist.luts.map((lut, k) =>
      k === at ? { ...lut, table: lut.table ^ (1 << random(16)) } : lut,
    );
    const graph = new LutGraph({ ...netlist, luts });
    const products = productsOf(graph);
    if (products.length < before) fewer++;
    expect({ mutant, wrong: wrongOf(graph, products).map(kindOf) }).toEqual({ mutant, wrong: [] });
  }
  process.stdout.write(`products that are lost: ${fewer} of ${MUTANTS}\n`);
  // Some entries cannot occur, and some tables are in no product.
  expect(fewer).toBeGreaterThan(MUTANTS / 2);
}, 600_000);

test('a wrong product is noticed', async () => {
  const netlist = await recordedNetlist('products');
  const stateOf = (engine: 'events' | 'words') => {
    const machine = new Machine(
      compile(netlist),
      netlist.inputs.map((_, k) => k & 1),
    );
    machine.evaluateIn(engine);
    machine.run(100);
    expect(machine.evaluation).toBe(engine);
    return machine.peek(netlist.flipFlops.map(({ name }) => name)).join('');
  };
  const right = stateOf('events');
  expect(stateOf('words')).toBe(right);
  const { mul } = WordGraph.prototype;
  WordGraph.prototype.mul = function (x, y) {
    return this.xor(mul.call(this, x, y), this.constant(4));
  };
  try {
    expect(stateOf('words')).not.toBe(right);
  } finally {
    WordGraph.prototype.mul = mul;
  }
}, 120_000);
