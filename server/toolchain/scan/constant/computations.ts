import { evaluate, Unknown } from './evaluate.ts';
import type { Expression } from './expression.ts';
import { type Bounds, GoesOn, Interpreter } from './interpreter.ts';
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
  what: { kind: 'loop' } | { kind: 'function' | 'recursion'; name: string; given: string; call: number };
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
  const statements = PER_PASS * most;
  const bounds: Bounds = { passes: most, statements, depth: DEEPEST, work: { left: MOST_WORK * statements } };
  return modules.flatMap((module) => new ModuleComputations(module, bounds, known).long());
}

/** A module with its parameters as they are by themselves: so Yosys elaborates it when it reads it. */
class ModuleComputations {
  readonly #module: ModuleText;
  readonly #place: LongComputation['module'];
  readonly #bounds: Bounds;
  readonly #isKnown: (path: string, condition: Stretch) => boolean;
  readonly #scope: Interpreter;
  readonly #known = new Map<string, Value | null>();

  constructor(module: ModuleText, bounds: Bounds, known: (path: string, condition: Stretch) => boolean) {
    this.#isKnown = known;
    this.#module = module;
    this.#place = { path: module.path, end: module.end };
    this.#bounds = bounds;
    this.#scope = this.#interpreter(module.functions);
  }

  #interpreter(functions: ReadonlyMap<string, ConstantFunction>): Interpreter {
    return new Interpreter(functions, (name) => this.#constant(name), this.#bounds);
  }

  long(): LongComputation[] {
    return [
      ...this.#module.calls.flatMap((call) => this.#call(call)),
      ...this.#module.loops.flatMap((loop) => this.#loop(loop)),
    ];
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
    return parameter ? parameterValue(parameter, this.#scope) : null;
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
    const said = known.map((each, at) => `${inputs[at]?.name ?? '?'} = ${numberOf(each)}`).join(', ');
    const kind = goesOn.kind === 'calls' ? 'recursion' : 'function';
    const argument = this.#textOf(first);
    const by = `${ASKED}((${argument}) === ${literalOf(one)}) ? 0 : (${argument})`;
    return [
      {
        module: this.#place,
        start: kind === 'recursion' ? call.start : goesOn.start,
        what: { kind, name, given: said, call: call.start },
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
        what: { kind: 'loop' },
        ask: { ...condition, by: `${ASKED}(1) || (${this.#textOf(condition)})` },
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
