import type { FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import type { Components } from './validation.ts';

interface SchemaNode {
  $ref?: string;
  type?: string;
  const?: unknown;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  items?: SchemaNode;
  anyOf?: SchemaNode[];
}

/** Reduces a value to the fields that its schema names; null for a schema that allows every field. */
type Projection = ((value: unknown) => unknown) | null;

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** True when the value has the branch's required fields and constants, e.g. its `kind`. */
const means = (branch: SchemaNode, value: Fields): boolean =>
  (branch.required ?? []).every((name) => value[name] !== undefined) &&
  Object.entries(branch.properties ?? {}).every(
    ([name, { const: constant }]) => constant === undefined || value[name] === constant,
  );

/**
 * Makes answers match openapi.json: it omits fields that the schema does not name. Compiling a serialiser for each
 * status of each route takes most of a second of the start. A projection is a few closures, and JSON.stringify does the
 * rest.
 */
class Projections {
  readonly #components: Components;
  readonly #byName = new Map<string, Projection>();

  constructor(components: Components) {
    this.#components = components;
  }

  of(schema: SchemaNode | undefined): Projection {
    if (!schema) return null;
    if (schema.$ref !== undefined) return this.#component(schema.$ref.replace(/#$/, ''));
    if (schema.anyOf) return this.#union(schema.anyOf);
    if (schema.items) return this.#list(schema.items);
    if (schema.properties) return this.#object(schema.properties);
    return null;
  }

  #component(name: string): Projection {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const projection = this.of(this.#components.get(name) as SchemaNode | undefined);
    this.#byName.set(name, projection);
    return projection;
  }

  #object(properties: Record<string, SchemaNode>): Projection {
    const fields = Object.entries(properties).map(([name, schema]) => [name, this.of(schema)] as const);
    return (value) => {
      if (!isObject(value)) return value;
      const kept: Fields = {};
      for (const [name, project] of fields) {
        const field = value[name];
        if (field !== undefined) kept[name] = project ? project(field) : field;
      }
      return kept;
    };
  }

  #list(items: SchemaNode): Projection {
    const project = this.of(items);
    return project && ((value) => (Array.isArray(value) ? value.map(project) : value));
  }

  #union(branches: SchemaNode[]): Projection {
    const projections = branches.map((branch) => this.of(branch));
    if (projections.every((projection) => projection === null)) return null;
    return (value) => {
      if (!isObject(value)) return value;
      const at = branches.findIndex((branch, i) => projections[i] !== null && means(branch, value));
      return projections[at]?.(value) ?? value;
    };
  }
}

/** Serialisers of all routes. */
export function serializerCompiler(components: Components): FastifySerializerCompiler<TSchema> {
  const projections = new Projections(components);
  return ({ schema }) => {
    const project = projections.of(schema as SchemaNode);
    return project ? (value) => JSON.stringify(project(value)) : (value) => JSON.stringify(value);
  };
}
