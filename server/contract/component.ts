import Type, { type TSchema, type TSchemaOptions } from 'typebox';

/** A named schema: OpenAPI lists it under components, and other schemas refer to it. */
export type Component<T extends TSchema = TSchema> = T & { $id: string };

export const component = <T extends TSchema>(name: string, schema: T): Component<T> =>
  Object.assign(schema, { $id: name });

export const isComponent = (value: unknown): value is Component =>
  typeof value === 'object' && value !== null && '$id' in value && typeof value.$id === 'string';

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A string that is one of `values`, as OpenAPI writes enumerations. */
export const enumOf = <const T extends readonly string[]>(values: T, options: TSchemaOptions = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

/** An integer that is one of `values`. */
export const integerOf = <const T extends readonly number[]>(values: T, options: TSchemaOptions = {}) =>
  Type.Unsafe<T[number]>({ type: 'integer', enum: [...values], ...options });

/** RFC 9562 in its canonical form, in either case. */
const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const Uuid = (description: string) => Type.String({ format: 'uuid', description });
/** A UUID in a request. */
export const RequestUuid = (description: string) =>
  Type.String({ pattern: UUID_PATTERN, format: 'uuid', description });
export const Timestamp = (description: string) => Type.String({ format: 'date-time', description });
