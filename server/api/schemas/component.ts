import Type, { type Static, type TSchema, type TSchemaOptions } from 'typebox';

/** A schema that OpenAPI lists under components and other schemas refer to by name. */
export type Component<T extends TSchema = TSchema> = T & { $id: string };

export const component = <T extends TSchema>(name: string, schema: T): Component<T> =>
  Object.assign(schema, { $id: name });

/** A reference to a component, with the component's type. */
export const ref = <T extends TSchema>(target: Component<T>) =>
  Type.Unsafe<Static<T>>({ $ref: `${target.$id}#` });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A string that is one of `values`, as OpenAPI writes enumerations. */
export const enumOf = <const T extends readonly string[]>(values: T, options: TSchemaOptions = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
