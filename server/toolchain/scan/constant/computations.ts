import { loopsOf } from '../loops.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { evaluate, Unknown } from './evaluate.ts';
import type { Expression } from './expression.ts';
import { type Bounds, GoesOn, Interpreter } from './interpreter.ts';
import { itsOwn, type Made, type MadeInstance, modulesMade, said } from './made.ts';
import type { ModuleCall, ModuleLoop, ModuleText, Stretch } from './modules.ts';
import { parameterValue, told } from './parameters.ts';
import type { ConstantFunction, Type } from './statements.ts';
import { integer, numberOf, type Value } from './value.ts';

/** A change of a text. */
export interface Edit extends Stretch {
  by: string;
}

/** A computation of a module that goes on for longer than the bench takes on. */
export interface LongComputation {
  /** Where it is: the file, and the offset of the module's end. */
  module: Pick<ModuleText, 'path' | 'end'>;
  /** Offset of the loop, or of the call of a function that calls itself. */
  start: number;
  /** The instance that makes the module so; null for its parameters as they are by themselves. */
  instance: MadeInstance | null;
  /** Passes are those that are known. */
  what:
    | { kind: 'loop'; passes: number | null; always?: string }
    | { kind: 'function' | 'recursion'; name: string; given: string; call: number };
  /** With this it is an error to get there, by the function ASKED. */
  ask: Edit;
  /** With this it takes no time. */
  cut: Edit;
}

/** A function that a text with the edits of LongComputation.ask needs in the module. */
export const ASKED = 'wishbench_asked';

/** Functions within each other: as deep as they are, Yosys takes the square of its time. */
const DEEPEST = 4096;
/** Statements of a call for each pass that it may have: three are the fewest. */
const PER_PASS = 5;
/** Statements that are computed in all, in calls that they are the most for: what is left then is not known. */
const MOST_WORK = 3;

/**
 * What in the modules goes on for more passes, or for more calls, than `most`: with their parameters as they are by
 * themselves. What cannot be told is left out.
 * @param known loops of which that is known without
 */
export function longComputations(
  modules: readonly ModuleText[],
  most: number,
  known: (path: string, condition: Stretch) => boolean = () => false,
): LongComputation[] {
  const bounds = boundsOf(most, MOST_WORK * PER_PASS * most);
  return modules.flatMap((module) => new ModuleComputations(module, bounds, known).long());
}

/** Bounds of a computation of so many passes. @param work statements in all */
export const boundsOf = (most: number, work: number): Bounds => ({
  passes: most,
  statements: PER_PASS * most,
  depth: DEEPEST,
  work: { left: work },
});

/** Pieces of a text that are passed in the time of one statement. */
const PIECES = 16;
/** Modules with their parameters that are looked at below one. */
const MOST_MADE = 1000;

/**
 * What goes on for too long in the modules below `top` as instances make them.
 * @param work statements of functions that are computed; see MOST_WORK for the most
 * @returns null where these do not do
 */
export function longBelow(
  modules: readonly ModuleText[],
  top: string,
  most: number,
  work = MOST_WORK * PER_PASS * most,
): LongComputation[] | null {
  const byName = new Map(modules.map((module) => [module.name, module]));
  const bounds = boundsOf(most, work);
  const found: LongComputation[] = [];
  const first = byName.get(top);
  const made = new Set<string>();
  const texts = new Map<string, Piece[]>();
  const waiting: Pick<Made, 'module' | 'given' | 'instance'>[] = first
    ? [{ module: first, given: new Map(), instance: null }]
    : [];
  for (let at = 0; at < Math.min(waiting.length, MOST_MADE); at++) {
    const one = waiting[at] as (typeof waiting)[number];
    const computations = new ModuleComputations(one.module, bounds, () => false, one);
    if (one.instance) {
      const { text } = one.module;
      const pieces = texts.get(text) ?? piecesOf(text);
      texts.set(text, pieces);
      bounds.work.left -= Math.ceil(pieces.length / PIECES);
      found.push(...computations.long(pieces));
    }
    if (bounds.work.left < 0) return null;
    for (const below of computations.made(byName)) {
      const key = `${below.module.name} ${said(below.given)}`;
      if (made.has(key)) continue;
      made.add(key);
      waiting.push(below);
    }
  }
  return found;
}

/** A module with its parameters as they are by themselves, as Yosys elaborates it when it reads it, or as they are given. */
export class ModuleComputations {
  readonly #module: ModuleText;
  readonly #place: LongComputation['module'];
  readonly #bounds: Bounds;
  readonly #isKnown: (path: string, condition: Stretch) => boolean;
  readonly #given: Made['given'];
  readonly #instance: MadeInstance | null;
  readonly #scope: Interpreter;
  readonly #known = new Map<string, Value | null>();

  constructor(
    module: ModuleText,
    bounds: Bounds,
    known: (path: string, condition: Stretch) => boolean,
    { given, instance }: Pick<Made, 'given' | 'instance'> = { given: new Map(), instance: null },
  ) {
    this.#isKnown = known;
    this.#given = given;
    this.#instance = instance;
    this.#module = module;
    this.#place = { path: module.path, end: module.end };
    this.#bounds = bounds;
    this.#scope = this.#interpreter(module.functions);
  }

  #interpreter(functions: ReadonlyMap<string, ConstantFunction>): Interpreter {
    return new Interpreter(functions, (name) => this.#constant(name), this.#bounds);
  }

  /** @param pieces of its text, to read its loops as they are with what is given */
  long(pieces?: readonly Piece[]): LongComputation[] {
    const counted = pieces ? this.#counted(pieces) : [];
    const known = new Set(counted.map(({ start }) => start));
    return [
      ...counted,
      ...this.#module.calls.flatMap((call) => this.#call(call)),
      ...this.#module.loops.flatMap((loop) => (known.has(loop.header.start) ? [] : this.#loop(loop))),
    ];
  }

  /** Loops whose passes can be told without computing them. */
  #counted(pieces: readonly Piece[]): LongComputation[] {
    const { name: module, text } = this.#module;
    return loopsOf(text, { module, values: this.#given }, pieces)
      .filter(({ passes }) => passes > this.#bounds.passes)
      .map(({ start, passes, always, condition: { once, ...place } }) => ({
        module: this.#place,
        start,
        instance: this.#instance,
        what: { kind: 'loop', passes, ...(always !== undefined && { always }) },
        ask: { start: place.start, end: place.end, by: `${this.#asked()} || (${once})` },
        cut: { start: place.start, end: place.end, by: once },
      }));
  }

  /** Asks for the module with these parameters only. */
  #asked(): string {
    const names = itsOwn(this.#given).flatMap(([name]) => {
      const one = this.#constant(name);
      return one ? [`(${name}) === ${literalOf(one)}`] : [];
    });
    return `${ASKED}(${names.join(' && ') || '1'})`;
  }

  /** The modules that its instances make. */
  made(byName: ReadonlyMap<string, ModuleText>): Made[] {
    return modulesMade({ module: this.#module, given: this.#given, scope: this.#scope }, byName);
  }

  #told(expression: Expression): Value | null {
    return told(() => evaluate(expression, this.#scope));
  }

  #constant(name: string): Value | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    this.#known.set(name, null); // one that asks for itself is not known
    let found: Value | null | undefined;
    try {
      found = this.#computed(name);
      return found;
    } finally {
      // It may need a function first, and is asked for again then.
      if (found === undefined) this.#known.delete(name);
      else this.#known.set(name, found);
    }
  }

  #computed(name: string): Value | null {
    const parameter = this.#module.parameters.get(name);
    return parameter ? parameterValue(parameter, this.#scope, this.#given.get(name)) : null;
  }

  #call({ name, given, first, ...call }: ModuleCall): LongComputation[] {
    if (!this.#module.functions.has(name)) return [];
    const values = given.map((one) => this.#told(one));
    const known = values.filter((one) => one !== null);
    if (known.length < values.length) return [];
    const goesOn = this.#runs(() => this.#scope.call(name, known));
    if (!goesOn) return [];
    const [one] = known;
    if (!one) return [];
    const inputs = this.#module.functions.get(name)?.inputs ?? [];
    const arguments_ = known.map((each, at) => `${inputs[at]?.name ?? '?'} = ${numberOf(each)}`).join(', ');
    const kind = goesOn.kind === 'calls' ? 'recursion' : 'function';
    const argument = this.#textOf(first);
    const by = `${ASKED}((${argument}) === ${literalOf(one)}) ? 0 : (${argument})`;
    return [
      {
        module: this.#place,
        instance: this.#instance,
        start: kind === 'recursion' ? call.start : goesOn.start,
        what: { kind, name, given: arguments_, call: call.start },
        ask: { ...first, by },
        cut: { ...call, by: '1' },
      },
    ];
  }

  #textOf({ start, end }: Stretch): string {
    return this.#module.text.slice(start, end);
  }

  #loop({ variable, header, condition, begins }: ModuleLoop): LongComputation[] {
    if (!this.#module.integers.has(variable) || this.#isKnown(this.#module.path, condition)) return [];
    const type: Type = {
      high: { kind: 'value', value: integer(31n) },
      low: { kind: 'value', value: integer(0n) },
      signed: true,
    };
    // As the only statement of a function, it is computed in the same way.
    const own: ConstantFunction = {
      name: '',
      result: type,
      inputs: [{ name: ' ', type }],
      locals: new Map([[variable, type]]),
      body: [header],
    };
    const interpreter = this.#interpreter(new Map([...this.#module.functions, ['', own]]));
    const goesOn = this.#runs(() => interpreter.call('', [integer(0n)]));
    if (goesOn?.start !== header.start) return [];
    return [
      {
        module: this.#place,
        start: header.start,
        instance: this.#instance,
        what: { kind: 'loop', passes: null },
        ask: { ...condition, by: `${this.#asked()} || (${this.#textOf(condition)})` },
        cut: { ...condition, by: `${variable} == (${this.#textOf(begins)})` },
      },
    ];
  }

  #runs(compute: () => unknown): GoesOn | null {
    try {
      compute();
    } catch (error) {
      if (error instanceof GoesOn) return error;
      if (!(error instanceof Unknown)) throw error;
    }
    return null;
  }
}

const literalOf = ({ bits, width, signed }: Value) => `${width}'${signed ? 's' : ''}h${bits.toString(16)}`;
