import { type Defparam, WITHIN } from './defparams.ts';
import { evaluate, type Scope } from './evaluate.ts';
import type { Expression } from './expression.ts';
import type { Condition } from './generate.ts';
import type { ModuleInstance, ModuleText } from './modules.ts';
import { told } from './parameters.ts';
import { INTEGER, type Passes, passesOf } from './passes.ts';
import { integer, numberOf, type Value } from './value.ts';

/** A place in a source, by its offset. */
export interface TextPlace {
  path: string;
  start: number;
}

/** Where a module is made with other parameters than their defaults. */
export interface MadeInstance extends TextPlace {
  name: string;
  /** What its parameters are: `N = 5` */
  given: string;
  /** The defparams that make them so, where not the instance itself does. */
  defparams: TextPlace[];
}

/** What a parameter is given. */
interface GivenValue extends Value {
  /** Where, if not with the instance. */
  defparam?: TextPlace;
}

/** By the name of the parameter, or the way to it in the instances below. */
export type Given = ReadonlyMap<string, GivenValue>;

/** Passes of a loop for which its instances are looked at, and the last one. */
const FIRST_PASSES = 16;

/** The value of a loop's variable in a pass, from 0; in its last where it has fewer. */
function valueIn(pass: number, { start, last, count }: Passes): bigint {
  if (!Number.isFinite(count) || pass >= count - 1) return last;
  return start + (BigInt(pass) * (last - start)) / BigInt(count - 1);
}

/** A module with what an instance gives its parameters. */
export interface Made {
  module: ModuleText;
  given: Given;
  /** The instance that gave it the last of them. */
  instance: MadeInstance | null;
  /** Where it is made, whatever it is given. */
  place: ModuleInstance;
  /** It is made so for sure: all conditions around it hold, and all that it is given is known. */
  certain: boolean;
}

export const said = (given: Iterable<[string, Value]>) =>
  [...given].map(([name, one]) => `${name} = ${numberOf(one)}`).join(', ');

/** What is given to a module itself, not to what is below it. */
export const itsOwn = (given: Given) => [...given].filter(([name]) => !name.includes(WITHIN));

/** A parameter of an instance as it is set from beside it, or from above. */
interface SetFromOutside {
  name: string;
  /** See InstancePlaces: where it is set for one pass of a loop alone. */
  pass: string | null;
  /** By the passes of the loops that it is in. */
  values: (GivenValue | null)[];
}

/** Passes for which defparams of one instance are looked at. */
const MOST_SET = 64;

/** A module as it is made: its constants are those of the scope. */
export interface MadeModule {
  module: ModuleText;
  given: Given;
  scope: Scope;
}

/** The modules that the instances of a module make. */
export const modulesMade = (of: MadeModule, byName: ReadonlyMap<string, ModuleText>): Made[] =>
  new Instances(of).made(byName);

type Variables = ReadonlyMap<string, Value>;

interface GivenHere {
  given: Map<string, GivenValue>;
  certain: boolean;
}

class Instances {
  readonly #module: ModuleText;
  readonly #given: Given;
  readonly #scope: Scope;

  constructor({ module, given, scope }: MadeModule) {
    this.#module = module;
    this.#given = given;
    this.#scope = scope;
  }

  made(byName: ReadonlyMap<string, ModuleText>): Made[] {
    const set = this.#setFromOutside();
    return this.#module.instances.flatMap((instance) => {
      const module = byName.get(instance.module);
      if (!module) return [];
      const own = this.#givenBy(instance, module);
      const from = set.get(instance);
      if (!from) return own.map((one) => this.#madeBy(instance, module, one));
      // A defparam that names a pass is for that one, and the others go without.
      const each = new Set([null, ...from.map(({ pass }) => pass)]);
      return [...each].slice(0, MOST_SET).flatMap((one) => {
        const these = from.filter(({ pass }) => pass === null || pass === one);
        const passes = Math.max(own.length, ...these.map(({ values }) => values.length));
        return Array.from({ length: passes }, (_, pass) => {
          const at = <T>(all: readonly T[]) => all[Math.min(pass, all.length - 1)];
          const here = at(own);
          const given = new Map(here?.given);
          let certain = here?.certain === true;
          // As with Yosys, what the instance gives counts before any of these, and of them the first one.
          for (const { name, values } of these) {
            const value = at(values);
            if (value && !given.has(name)) given.set(name, value);
            // Which pass it is for, and what is within the instance, is not followed up.
            certain &&= value !== undefined && value !== null && one === null && !name.includes(WITHIN);
          }
          return this.#madeBy(instance, module, { given, certain: certain && each.size === 1 });
        });
      });
    });
  }

  #madeBy(place: ModuleInstance, module: ModuleText, { given, certain }: GivenHere): Made {
    const own = itsOwn(given);
    const defparams = own.flatMap(([, { defparam }]) => defparam ?? []);
    const { name, start } = place;
    const instance = { name, start, path: this.#module.path, given: said(own), defparams };
    return { module, given, instance: own.length > 0 ? instance : null, place, certain };
  }

  /** What an instance gives, by the passes of the loops that it is in. */
  #givenBy({ given: values, start, conditions }: ModuleInstance, module: ModuleText): GivenHere[] {
    const order = [...module.parameters].filter(([, { overridable }]) => overridable).map(([own]) => own);
    return this.#variablesAt(start).map((variables) => {
      const given = new Map<string, GivenValue>();
      let certain = conditions.every((one) => this.#holds(one, variables));
      for (const [at, { name: named, value: by }] of values.entries()) {
        const parameter = named ?? order[at];
        const one = parameter === undefined ? null : this.#toldWith(by, variables);
        if (parameter !== undefined && one) given.set(parameter, one);
        else certain = false;
      }
      return { given, certain };
    });
  }

  /** What defparams set of the instances: its own, and those from above that lead further. */
  #setFromOutside(): Map<ModuleInstance, SetFromOutside[]> {
    const { places, defparams, path } = this.#module;
    const found = new Map<ModuleInstance, SetFromOutside[]>();
    const add = (instance: ModuleInstance, one: SetFromOutside) => {
      const before = found.get(instance);
      if (before) before.push(one);
      else found.set(instance, [one]);
    };
    const valuesOf = ({ value, start }: Defparam) =>
      this.#variablesAt(start).map((variables) => {
        const one = this.#toldWith(value, variables);
        return one && { ...one, defparam: { path, start } };
      });
    for (const [instance, all] of places.reachedBy(defparams))
      for (const { of, rest, pass } of all) add(instance, { name: rest, pass, values: valuesOf(of) });
    const above = [...this.#given]
      .filter(([name]) => name.includes(WITHIN))
      .map(([name, value]) => ({ scope: [], path: name.split(WITHIN), value }));
    for (const [instance, all] of places.reachedBy(above))
      for (const { of, rest, pass } of all) add(instance, { name: rest, pass, values: [of.value] });
    return found;
  }

  /** Values of the variables of loops before a place: those of the first passes, and of the last. */
  #variablesAt(place: number): Variables[] {
    const loops: { variable: string; passes: Passes }[] = [];
    for (const { variable, read, header } of this.#module.loops) {
      if (header.start > place) break;
      const passes = passesOf(read, INTEGER, this.#scope);
      if (passes) loops.push({ variable, passes });
    }
    const most = Math.max(1, ...loops.map(({ passes: { count } }) => (Number.isFinite(count) ? count : 1)));
    const looked = Array.from({ length: Math.min(most, FIRST_PASSES) }, (_, pass) => pass);
    if (most > FIRST_PASSES) looked.push(most - 1);
    return looked.map(
      (pass) => new Map(loops.map(({ variable, passes }) => [variable, integer(valueIn(pass, passes))])),
    );
  }

  #toldWith(expression: Expression, variables: Variables): Value | null {
    const scope: Scope = {
      get: (name) => variables.get(name) ?? this.#scope.get(name),
      call: (name, given) => this.#scope.call(name, given),
      result: (name) => this.#scope.result(name),
    };
    return told(() => evaluate(expression, scope));
  }

  /** Whether a condition holds for sure. */
  #holds(condition: Condition, variables: Variables): boolean {
    const isTrue = (of: Expression) => {
      const found = this.#toldWith(of, variables);
      return found && found.bits !== 0n;
    };
    switch (condition.kind) {
      case 'if':
        return isTrue(condition.of) === condition.taken;
      case 'case': {
        const { of: left, items, item } = condition;
        const matches = items.map((of) =>
          of === null ? null : of.map((right) => isTrue({ kind: 'binary', operator: '===', left, right })),
        );
        const others = items[item] === null ? matches : matches.slice(0, item);
        return (
          others.every((all) => all === null || all.every((one) => one === false)) &&
          (matches[item]?.some((one) => one === true) ?? true)
        );
      }
      case 'for': {
        const loop = this.#module.loops.find(({ header }) => header.start === condition.start);
        const passes = loop && passesOf(loop.read, INTEGER, this.#scope);
        return passes ? passes.count > 0 : false;
      }
      case 'unknown':
        return false;
    }
  }
}
