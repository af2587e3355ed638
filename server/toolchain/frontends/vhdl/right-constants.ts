import {
  find,
  type VhdlAssignment,
  type VhdlBody,
  type VhdlPart,
  vhdlAssignments,
  vhdlBodies,
} from '../../languages/vhdl/vhdl-bodies.ts';
import type { VhdlToken } from '../../languages/vhdl/vhdl-lexer.ts';
import { type DeclaringSource, type VhdlNames, withNames } from '../../languages/vhdl/vhdl-names.ts';
import {
  type Edit,
  edited,
  onOneLine,
  typesByName,
  type VhdlSource,
  vhdlSource,
} from '../../languages/vhdl/vhdl-places.ts';

const VECTORS = /^(?:unresolved_)?(?:std_u?logic_vector|unsigned|signed|bit_vector)$/;
/** Attributes whose value does not depend on that of a signal. */
const FIXED = /^(?:length|left|right|high|low|range|reverse_range)$/;
/** Limit of assigned parts of one name that differ in their steps. */
const MOST_PARTS = 100;
type Steps = VhdlPart['steps'];
/** A value whose bits are all the same. */
const UNIFORM = /^(?:\(others=>)+'.'\)+$/;

/**
 * Sources whose constants GHDL reads rightly. Only these change, and no line number does.
 *
 * - Where a process or subprogram assigns a constant to a whole variable or signal, and other statements assign parts of it,
 *   GHDL 2.0 cuts the constant into these parts itself, and counts them from the wrong end
 *   (https://github.com/ghdl/ghdl/issues/2013). It does not where the next statement assigns a part: one is added that assigns
 *   the same value.
 * - Of a declared constant that is a concatenation, GHDL (5.0 too) takes single elements as if their places were those in the
 *   concatenation, which counts from the left: it is qualified.
 */
export function withRightConstants(texts: readonly string[]): string[] {
  const sources = texts.map(vhdlSource);
  const vectors = typesByName(sources, (type) => VECTORS.test(type));
  let free = 'whole_';
  while (sources.some(({ tokens }) => tokens.some(({ text }) => text.startsWith(free)))) free += '0_';
  const onlyField = new Map(sources.flatMap(({ tokens }) => onlyFields(tokens)));
  const whole = withNames(sources).map((source) => {
    const additions = assignedAgain(source, {
      free,
      isVector: (name) => vectors.get(name) === true,
      onlyField,
    });
    return vhdlSource(edited(source.text, additions));
  });
  const bases = new Map(whole.flatMap(({ tokens }) => subtypesOf(tokens)));
  return whole.map((source) => edited(source.text, qualified(source, bases)));
}

/** Bases of declared subtypes. */
const subtypesOf = (tokens: readonly VhdlToken[]): [string, string][] =>
  tokens.flatMap(({ text }, at): [string, string][] =>
    text === 'subtype' ? [[tokens[at + 1]?.text ?? '', tokens[at + 3]?.text ?? '']] : [],
  );

/** What qualifies declared constants that are concatenations. */
function qualified({ tokens }: VhdlSource, bases: ReadonlyMap<string, string>): Edit[] {
  return tokens.flatMap(({ text }, at): Edit[] => {
    if (text !== 'constant') return [];
    const declared = tokens[find(tokens, at, ':', ';') + 1]?.text ?? '';
    const type = bases.get(declared) ?? declared;
    if (!VECTORS.test(type)) return [];
    const from = find(tokens, at, '=', ';') + 1;
    const [first, last] = [tokens[from], tokens[find(tokens, from, ';')]];
    if (!first || !last || tokens[find(tokens, from, '&', ';')]?.text !== '&') return [];
    return [
      [first.start, first.start, `${type}'(`],
      [last.start, last.start, ')'],
    ];
  });
}

/** The only fields of records that have one, by type. */
const onlyFields = (tokens: readonly VhdlToken[]): [string, string][] =>
  tokens.flatMap(({ text }, at): [string, string][] => {
    if (text !== 'record' || tokens[at + 2]?.text !== ':') return [];
    return tokens[find(tokens, at + 3, ';') + 1]?.text === 'end'
      ? [[tokens[at - 2]?.text ?? '', tokens[at + 1]?.text ?? '']]
      : [];
  });

/** What assigns parts again behind constants for the whole. */
function assignedAgain(
  { text, tokens, namesAt }: DeclaringSource,
  {
    free,
    isVector,
    onlyField,
  }: {
    free: string;
    isVector: (name: string) => boolean;
    onlyField: ReadonlyMap<string, string>;
  },
): Edit[] {
  const bodies = vhdlBodies(tokens).map((body) => ({ body, ...vhdlAssignments(tokens, body) }));
  const start = (at: number) => tokens[at]?.start ?? text.length;

  /** Assigned parts by name, the smallest first: one field may be all that a record has. */
  const parts = new Map<VhdlBody, Map<string, Steps[]>>();
  for (const { body, assignments, given } of bodies) {
    const own = parts.get(body.outer) ?? new Map<string, Steps[]>();
    parts.set(body.outer, own);
    const add = (name: string, steps: Steps) => {
      const known = own.get(name) ?? [];
      if (known.length >= MOST_PARTS || known.some((one) => one.join() === steps.join())) return;
      own.set(
        name,
        [...known, steps].toSorted((a, b) => b.length - a.length),
      );
    };
    // A procedure may assign a part of what it gets.
    for (const name of given) if (isVector(name)) add(name, [1]);
    for (const { name, part } of assignments) {
      const alias = namesAt(body.begin).aliases.get(name);
      const assigned = alias?.part ?? part;
      if (assigned) add(alias?.of ?? name, assigned.steps);
    }
  }
  /** The steps to the smallest part of what the first steps lead to. */
  const stepsWithin = (body: VhdlBody, name: string, first: Steps = []): Steps => {
    const found = parts
      .get(body.outer)
      ?.get(name)
      ?.find((steps) => first.every((step, at) => steps[at] === step));
    return found?.slice(first.length) ?? [];
  };

  const again = (body: VhdlBody, assignment: VhdlAssignment): Edit[] => {
    const { name, part, isSignal, value, end } = assignment;
    const names = namesAt(body.begin);
    const alias = names.aliases.get(name);
    if (alias?.part || !isConstant(tokens.slice(value, end), names)) return [];
    const type = (isSignal ? names.signals : names.variables).get(name) ?? '';
    const isWhole = !part || part.place === `( ${name} ' range )` || part.place === /\(.*/.exec(type)?.[0];
    const steps = stepsWithin(body, alias?.of ?? name, isWhole ? [] : part.steps);
    if (steps.length === 0) return [];
    const behind = start(end) + 1;
    const target = isWhole ? name : onOneLine(text, start(assignment.start), start(value - 2));
    const assigned = partOf(target, !isWhole && part.isSlice ? [1, ...steps] : steps);
    if (!isSignal) return [[behind, behind, ` ${assigned} := ${assigned};`]];
    // A choice is no constant to GHDL.
    if (find(tokens, value, 'when', ';') < end) return [];
    if (type === '' || !(isWhole || part.steps.join() === onlyField.get(type))) return [];
    // A value has no parts, but the result of a function has.
    const of = `${free}${end}`;
    const range = VECTORS.test(type) ? `${type}(${name}'range)` : type;
    const [mark, subtype] = range.includes('(') ? [`${of}_t`, `subtype ${of}_t is ${range}; `] : [range, ''];
    const function_ = `${subtype}function ${of}(v : ${mark}) return ${mark} is begin return v; end; `;
    const to = Math.min(end, find(tokens, value, 'after'));
    const expression = onOneLine(text, start(value), start(to));
    const whole = isWhole ? expression : `(${onlyField.get(type)} => ${expression})`;
    const given = `${of}(${whole})${assigned.slice(name.length)}`;
    return [
      [start(body.begin), start(body.begin), function_],
      [behind, behind, ` ${assigned} <= ${given};`],
    ];
  };

  /** A subprogram's variables and parameters begin with a value each time. */
  const begun = (body: VhdlBody, names: ReadonlySet<string>): Edit[] => {
    const declared = body.isProcess ? [] : tokens.slice(body.start, body.begin);
    const own = new Set(
      declared.flatMap(({ text: name }, at) => {
        const isDeclared = /^[,:]$/.test(declared[at + 1]?.text ?? '') && declared[at - 1]?.text !== 'signal';
        return isDeclared && names.has(name) ? [name] : [];
      }),
    );
    const behind = start(body.begin) + 'begin'.length;
    return [...own].flatMap((name): Edit[] => {
      const part = partOf(name, stepsWithin(body, name));
      return part === name ? [] : [[behind, behind, ` ${part} := ${part};`]];
    });
  };

  return bodies.flatMap(({ body, assignments, given }) => {
    const variables = assignments.flatMap(({ name, isSignal }) => (isSignal ? [] : [name]));
    return [
      ...assignments.flatMap((one) => again(body, one)),
      ...begun(body, new Set([...variables, ...given])),
    ];
  });
}

/** The part to which these steps lead, always to the first element. */
const partOf = (whole: string, steps: Steps): string =>
  steps.reduce<string>((of, step) => {
    if (typeof step === 'string') return `${of}.${step}`;
    const indexes = Array.from({ length: step }, (_, at) => `${of}'left${step > 1 ? `(${at + 1})` : ''}`);
    return `${of}(${indexes.join(', ')})`;
  }, whole);

/** Names whose value an expression has: not the `x` of `x"2d"`, nor the `s` of `s'length`. */
const usedNames = (value: readonly VhdlToken[]): string[] =>
  value.flatMap(({ kind, text }, at) => {
    const [next, behind] = [value[at + 1]?.kind, value[at + 2]?.text ?? ''];
    return kind !== 'word' || next === 'string' || (next === 'tick' && FIXED.test(behind)) ? [] : [text];
  });

/** Whether a value may be a constant, and not one of equal bits. */
const isConstant = (value: readonly VhdlToken[], { signals }: VhdlNames): boolean =>
  !UNIFORM.test(value.map(({ text }) => text).join('')) &&
  !usedNames(value).some((name) => signals.has(name));
