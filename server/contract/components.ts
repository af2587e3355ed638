import type { TSchema } from 'typebox';
import { type Component, isComponent } from './component.ts';
import { ErrorEnvelope, ValidationEnvelope } from './failures.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** The components that a schema contains, itself included. */
function* componentsIn(value: unknown): Iterable<Component> {
  if (typeof value !== 'object' || value === null) return;
  if (isComponent(value)) yield value;
  for (const inner of Object.values(value)) yield* componentsIn(inner);
}

/** Every named schema that a route uses, by name. */
export function allComponents(): Map<string, TSchema> {
  const components = new Map<string, TSchema>();
  const take = (value: unknown) => {
    for (const found of componentsIn(value)) components.set(found.$id, found);
  };
  const routes: readonly Route[] = Object.values(ROUTES);
  for (const { params, query, body, answers } of routes) take([params, query, body?.schema, answers]);
  take([ErrorEnvelope, ValidationEnvelope]);
  return components;
}
