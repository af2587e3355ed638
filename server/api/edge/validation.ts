import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { TLocalizedValidationError as Raised } from 'typebox/error';
import { Settings } from 'typebox/system';
import { checkOf } from '../../contract/check.ts';
import type { FieldProblem } from '../../contract/failures.ts';
import { apiError } from '../../errors/api.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { TextBody } from './text-body.ts';

// A union reports the errors of each branch; the default limit of 8 could hide the intended one.
Settings.Set({ maxErrors: 64 });

/** Maximum fields in one answer. */
const MAX_PROBLEMS = 20;

/** A 422 with its fields; the message names the first of them. */
export function validationError(problems: FieldProblem[], remedy?: string): BenchError {
  const [first] = problems;
  const place = first?.loc.slice(1).join('.') ?? '';
  const message = first
    ? `${place === '' ? (first.loc[0] ?? '') : place}: ${first.msg.replace(/\.$/, '')}.`
    : undefined;
  return apiError('validation_error', {
    ...(message === undefined ? {} : { message: `The request is not valid: ${message}` }),
    ...(remedy === undefined ? {} : { remedy }),
    fields: problems,
  });
}

type Where = 'path' | 'query' | 'header' | 'body';
const WHERE: Record<string, Where> = {
  params: 'path',
  querystring: 'query',
  headers: 'header',
  body: 'body',
};

interface SchemaNode {
  maxItems?: number;
  type?: string;
  format?: string;
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
}

/** Canonical decimal numbers only: `07`, `1.0`, `1e0`, `+1` and ` 1` stay text, and so fail as numbers. */
const INTEGER = /^(0|-?[1-9]\d{0,15})$/;
const NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,9})?$/;

/** Converts text of a path, a query or a form to the schema's type where it can; else keeps the text. */
export function fromText(schema: SchemaNode | undefined, text: unknown): unknown {
  if (schema?.type === 'array') {
    const parts = (Array.isArray(text) ? text : [text]).flatMap((one) =>
      typeof one === 'string' ? one.split(',') : [one],
    );
    return parts.map((one) => fromText(schema.items, one));
  }
  if (typeof text !== 'string') return text;
  if (schema?.type === 'integer') return INTEGER.test(text) ? Number(text) : text;
  if (schema?.type === 'number') return NUMBER.test(text) ? Number(text) : text;
  // A UUID may be in either case; ours are lower case.
  if (schema?.format === 'uuid') return text.toLowerCase();
  if (schema?.type === 'boolean') {
    if (text === '1' || text === 'true') return true;
    if (text === '0' || text === 'false') return false;
  }
  return text;
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? String(value);

const ARTICLE: Record<string, string> = {
  integer: 'an integer',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const articleOf = (type: string | string[]): string =>
  [type]
    .flat()
    .map((one) => ARTICLE[one] ?? one)
    .join(' or ');

/** Describes a validator's error, with a stable kind. */
function describeProblem(error: Raised): { msg: string; type: string } {
  switch (error.keyword) {
    case 'type':
      return { msg: `must be ${articleOf(error.params.type)}`, type: `${error.params.type}_type` };
    case 'minimum':
      return { msg: `must be at least ${error.params.limit}`, type: 'greater_than_equal' };
    case 'maximum':
      return { msg: `must be at most ${error.params.limit}`, type: 'less_than_equal' };
    case 'multipleOf':
      return { msg: `must be a multiple of ${error.params.multipleOf}`, type: 'multiple_of' };
    case 'enum':
      return {
        msg: `must be one of ${error.params.allowedValues.map(textOf).join(', ')}`,
        type: 'enum',
      };
    case 'const':
      return { msg: `must be ${textOf(error.params.allowedValue)}`, type: 'enum' };
    case 'minLength':
      return { msg: `must have at least ${error.params.limit} characters`, type: 'string_too_short' };
    case 'maxLength':
      return { msg: `must have at most ${error.params.limit} characters`, type: 'string_too_long' };
    case 'minItems':
      return { msg: `must have at least ${error.params.limit} entries`, type: 'too_short' };
    case 'maxItems':
      return { msg: `must have at most ${error.params.limit} entries`, type: 'too_long' };
    case 'maxProperties':
      return { msg: `must have at most ${error.params.limit} fields`, type: 'too_long' };
    case 'pattern':
    case 'format':
      return { msg: 'does not match the required format', type: `${error.keyword}_mismatch` };
    case 'additionalProperties':
      return { msg: 'is an unknown field', type: 'extra_forbidden' };
    case 'anyOf':
      return { msg: 'matches none of the allowed forms', type: 'union' };
    default:
      return { msg: error.message, type: error.keyword };
  }
}

/** RFC 6901 pointer → path, with list indices as numbers. */
const pointer = (text: string): (string | number)[] =>
  text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));

/**
 * The errors of a union: those of the intended branch, whose constants or type match. Without such a branch, the error
 * is that none matches.
 */
function unionProblems(raised: Raised[]): Raised[] {
  const unions = raised.filter(({ keyword }) => keyword === 'anyOf');
  let left = raised.filter(({ keyword }) => keyword !== 'anyOf');
  for (const union of unions) {
    const prefix = `${union.schemaPath}/anyOf/`;
    const branches = new Map<string, Raised[]>();
    for (const error of left) {
      if (!error.schemaPath.startsWith(prefix)) continue;
      const branch = error.schemaPath.slice(prefix.length).split('/')[0] ?? '';
      branches.set(branch, [...(branches.get(branch) ?? []), error]);
    }
    const meant = [...branches.values()].filter(
      (errors) =>
        !errors.some(
          ({ keyword, instancePath }) =>
            keyword === 'const' || (keyword === 'type' && instancePath === union.instancePath),
        ),
    );
    const kept = meant.length === 1 ? (meant[0] ?? []) : [union];
    left = [...left.filter(({ schemaPath }) => !schemaPath.startsWith(prefix)), ...kept];
  }
  return left;
}

function problemsOf(where: Where, raised: Raised[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  // Only the first error of each field: the others follow from it.
  const add = (problem: FieldProblem) => {
    if (!problems.some((known) => known.loc.join('/') === problem.loc.join('/'))) problems.push(problem);
  };
  for (const error of unionProblems(raised)) {
    const loc = [where, ...pointer(error.instancePath)];
    if (error.keyword === 'required')
      for (const field of error.params.requiredProperties)
        add({ loc: [...loc, field], msg: 'is missing', type: 'missing' });
    else if (error.keyword === 'additionalProperties')
      for (const field of error.params.additionalProperties)
        add({ loc: [...loc, field], ...describeProblem(error) });
    else if ((error.keyword === 'pattern' || error.keyword === 'format') && loc.at(-1) === 'job_id')
      add({ loc, msg: 'must be a UUID', type: 'uuid_parsing' });
    // `false` schemas repeat what additionalProperties reports.
    else if (error.keyword !== 'boolean') add({ loc, ...describeProblem(error) });
  }
  if (problems.length === 0) problems.push({ loc: [where], msg: 'does not fit the schema', type: 'schema' });
  return problems.slice(0, MAX_PROBLEMS);
}

/** Checks a value; null when it is valid. */
export function check(validator: Validator, where: Where, value: unknown): BenchError | null {
  if (validator.Check(value)) return null;
  return validationError(problemsOf(where, validator.Errors(value)));
}

/** The lists of a form with a maximum length. */
const boundedLists = ({ properties = {} }: SchemaNode): [name: string, maxItems: number][] =>
  Object.entries(properties).flatMap(([name, { maxItems }]) =>
    maxItems === undefined ? [] : [[name, maxItems]],
  );

/** Finds lists of a body that are too long, before each entry is checked. */
function longLists(bounded: Form['bounded'], value: unknown): FieldProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  return bounded.flatMap(([name, maxItems]) => {
    const list = (value as Record<string, unknown>)[name];
    if (!Array.isArray(list) || list.length <= maxItems) return [];
    return [{ loc: ['body', name], msg: `must have at most ${maxItems} entries`, type: 'too_long' }];
  });
}

/** Components by name, for bodies given by reference. */
export type Components = ReadonlyMap<string, TSchema>;

/** A schema by reference, or a union with a discriminator field. */
interface Given {
  $ref?: string;
  anyOf?: readonly Given[];
  'x-chosen-by'?: string;
}

/** A possible form of a value, and whether a value is intended to have it. */
interface Form {
  schema: TSchema & SchemaNode;
  bounded: [name: string, maxItems: number][];
  readonly validator: Validator;
  isMeant(value: unknown): boolean;
}

/**
 * The forms that a body may have. The first is the intended one unless the discriminator matches another. So errors
 * describe the intended form, and a new form changes no errors of the first.
 */
function formsOf(given: Given, components: Components): Form[] {
  const { 'x-chosen-by': field } = given;
  const resolve = (one: Given): TSchema => {
    const name = one.$ref?.replace(/#$/, '');
    return (name === undefined ? one : components.get(name)) as TSchema;
  };
  return (field === undefined ? [given] : (given.anyOf ?? [])).map((one) => {
    const schema = resolve(one);
    const chooses = field === undefined ? undefined : (schema as SchemaNode).properties?.[field];
    const isChosen = chooses && checkOf(chooses as TSchema);
    let validator: Validator | undefined;
    return {
      schema,
      bounded: boundedLists(schema as SchemaNode),
      // On the first request: to compile those of all routes takes a seventh of a start.
      get validator() {
        validator ??= Compile(schema);
        return validator;
      },
      isMeant: (value) =>
        field !== undefined &&
        typeof value === 'object' &&
        value !== null &&
        isChosen?.((value as Record<string, unknown>)[field]) === true,
    };
  });
}

/** Converts the texts of path or query parameters to their types. */
function typedTexts(properties: SchemaNode['properties'], data: unknown): Record<string, unknown> {
  // Without a prototype, so that any parameter name is a plain field.
  const typed: Record<string, unknown> = Object.create(null);
  for (const [name, text] of Object.entries(data ?? {})) typed[name] = fromText(properties?.[name], text);
  return typed;
}

/** Validators of all routes: strict on JSON bodies, canonical numbers from text in paths and queries. */
export const validatorCompiler =
  (components: Components): FastifySchemaCompiler<TSchema> =>
  ({ schema, httpPart }) => {
    const where = WHERE[httpPart ?? 'body'] ?? 'body';
    const forms = formsOf(schema as Given, components);
    const [first] = forms;
    if (!first) throw new TypeError(`${httpPart} has no form.`);
    const { properties } = first.schema;
    // A form is parsed but not typed here: its handler checks the fields (see uploads.ts).
    const isForm = where === 'body' && properties?.['file'] !== undefined;
    return (data: unknown) => {
      let value = data;
      if (where === 'path' || where === 'query') value = typedTexts(properties, data);
      if (where === 'body' && (data === undefined || data === null))
        return { error: validationError([{ loc: ['body'], msg: 'is missing', type: 'missing' }]) };
      if (isForm) return { value };
      if (where === 'body' && data instanceof TextBody) return { value: data.text };
      const form = forms.find(({ isMeant }) => isMeant(value)) ?? first;
      const long = where === 'body' ? longLists(form.bounded, value) : [];
      if (long.length > 0) return { error: validationError(long) };
      const error = check(form.validator, where, value);
      return error ? { error } : { value };
    };
  };
