import type { FastifyServerOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { serializerCompiler } from './serialisation.ts';
import { type Components, validatorCompiler } from './validation.ts';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;

/** Schemas by name. Fastify asks for all of them twice for each route, so they are not copied each time. */
function schemaBucket(parent: object = {}) {
  const schemas: Record<string, TSchema> = { ...parent };
  return {
    add(schema: TSchema & { $id: string }) {
      schemas[schema.$id] = schema;
    },
    getSchema: (id: string) => schemas[id],
    getSchemas: () => schemas,
  };
}

/**
 * What Fastify does with schemas. Compilers given here, and not set on the instance, keep it from loading Ajv and its
 * own serialiser, which no route uses.
 */
export function schemaController(components: Components): SchemaController {
  const validators = validatorCompiler(components);
  const serialisers = serializerCompiler(components);
  const controller = {
    bucket: schemaBucket,
    compilersFactory: { buildValidator: () => validators, buildSerializer: () => serialisers },
  };
  // Fastify's types are those of Ajv, and want of a bucket more than Fastify uses.
  return controller as unknown as SchemaController;
}
