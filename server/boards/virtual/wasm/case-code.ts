import type { Case, Cases } from '../words/cases.ts';
import { Regions } from '../words/regions.ts';
import type { Order } from '../words/schedule.ts';
import { Specialised } from '../words/specialised.ts';
import { ValueSamples } from '../words/value-samples.ts';
import type { Value, WordGraph } from '../words/word-graph.ts';
import { type FunctionBody, I32 } from './assembler.ts';
import type { Layout } from './layout.ts';
import { WordCode, type WordPlaces } from './word-code.ts';

/** The general evaluation, for any case. */
export interface General {
  order: Order;
  words: WordGraph;
  regions: Regions;
  observed: ValueSamples;
  /** Values of regions, which are evaluated before the case is selected. */
  isKept(value: Value): boolean;
}

/**
 * Writes the functions that evaluate a design: the regions first, then the code of the present case. Cases that are too
 * rare for code of their own, or were never observed, use the general evaluation.
 */
export class CaseCode {
  readonly general: WordCode;
  /** One for each case with code of its own. */
  readonly ways: readonly WordCode[];
  /** For each combination of the case bits, the number of its way; the number after the last way is the general one. */
  readonly #wayOf: Uint8Array;
  readonly #cases: Cases;
  readonly #layout: Layout;
  readonly #memories: readonly Int32Array[];
  readonly #places: WordPlaces;

  /** @param memories the machine's memory in the observed clocks */
  constructor(
    general: General,
    cases: Cases,
    layout: Layout,
    places: Omit<WordPlaces, 'word' | 'ram' | 'kept'>,
    memories: readonly Int32Array[],
  ) {
    this.#cases = cases;
    this.#layout = layout;
    this.#memories = memories;
    const { word, ram } = layout;
    this.#places = { ...places, word, ram, kept: (value) => this.general.cellOf(value) };
    const { order, words, regions, observed } = general;
    this.general = new WordCode(order, words, this.#places, regions, observed, 'words');
    const own = cases.all.length > 1 ? cases.all.filter((one) => !cases.isSeldom(one)) : [];
    this.ways = own.map((one, way) => this.#codeOf(one, `case${way}_`, general));
    this.#wayOf = Uint8Array.from({ length: 1 << cases.bits.length }, (_, key) => {
      const way = own.findIndex((one) => this.#isOf(one, key));
      return way < 0 ? own.length : way;
    });
  }

  get functions(): readonly FunctionBody[] {
    return [this.general, ...this.ways].flatMap(({ functions }) => functions);
  }

  /** Evaluates the design once; its functions are the first of the module. */
  write(body: FunctionBody): void {
    const { functions } = this;
    const call = (called: readonly FunctionBody[]) => {
      for (const one of called) body.call(functions.indexOf(one));
    };
    const { calm } = this.general;
    call(calm);
    const always = () => call(this.general.functions.slice(calm.length));
    if (this.ways.length === 0) always();
    else {
      const ways = this.ways.map((way) => () => call(way.functions));
      body.choose([...ways, always], () => this.#pushWay(body));
    }
  }

  #codeOf(one: Case, name: string, { order, words, observed, isKept }: General): WordCode {
    const own = new Specialised(order, words, one.known, isKept);
    const memories = one.clocks.flatMap((clock) => this.#memories[clock] ?? []);
    const ownObserved = new ValueSamples(own, own.words, memories, this.#layout, (value, k) =>
      observed.at(value, one.clocks[k] ?? 0),
    );
    return new WordCode(own, own.words, this.#places, new Regions(own, own.words), ownObserved, name);
  }

  /** Whether these values of the case bits belong to the case. */
  #isOf({ known }: Case, key: number): boolean {
    return this.#cases.bits.every(({ word, lane }, k) => {
      const { mask, value } = known.get(word) ?? { mask: 0, value: 0 };
      return ((mask >>> lane) & 1) === 0 || ((value >>> lane) & 1) === ((key >>> k) & 1);
    });
  }

  /** Collects the case bits and looks up the way. */
  #pushWay(body: FunctionBody): void {
    const contents = new Int32Array(Math.ceil(this.#wayOf.length / 4));
    new Uint8Array(contents.buffer).set(this.#wayOf);
    body.constant(0);
    for (const { word, by, mask } of this.#fields()) {
      body.load(this.#layout.word(word));
      if (by !== 0) {
        body.constant(Math.abs(by));
        body.op(by > 0 ? I32.shrU : I32.shl);
      }
      body.constant(mask);
      body.op(I32.and);
      body.op(I32.or);
    }
    body.load8(this.#places.table(contents));
  }

  /** Bits of a word that move by the same distance, towards bit 0. */
  #fields(): { word: number; by: number; mask: number }[] {
    const fields = new Map<string, { word: number; by: number; mask: number }>();
    this.#cases.bits.forEach(({ word, lane }, k) => {
      const by = lane - k;
      const field = fields.get(`${word},${by}`) ?? { word, by, mask: 0 };
      field.mask |= 1 << k;
      fields.set(`${word},${by}`, field);
    });
    return [...fields.values()];
  }
}
