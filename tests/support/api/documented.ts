import type { TSchema } from 'typebox';
import { checkOf } from '../../../server/contract/check.ts';
import { ErrorEnvelope, ValidationEnvelope } from '../../../server/contract/failures.ts';
import type { Route } from '../../../server/contract/route.ts';
import { ROUTES } from '../../../server/contract/routes.ts';

/** The part of an OpenAPI document that says which statuses an operation can answer. */
export interface OpenApi {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: Record<string, { description: string; content?: Record<string, unknown> }>;
        requestBody?: { content: Record<string, { schema: unknown }> };
        parameters?: { name: string; in: string; schema: Record<string, unknown> }[];
      }
    >
  >;
  components: { schemas: Record<string, unknown> };
}

/** The template that an address fits, e.g. `/fpga/{fpga_id}`; literal segments win. */
function templateOf(document: OpenApi, address: string): string | null {
  const segments = (address.split(/[?#]/)[0] ?? '').replace(/(.)\/$/, '$1').split('/');
  const fitting = Object.keys(document.paths).filter((template) => {
    const parts = template.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, i) => part === segments[i] || (part.startsWith('{') && segments[i] !== ''))
    );
  });
  const literals = (template: string) => template.split('/').filter((part) => !part.startsWith('{')).length;
  return fitting.sort((a, b) => literals(b) - literals(a))[0] ?? null;
}

/** Why an answer does not match the document; null if it does. */
export function undocumented(
  document: OpenApi,
  method: string,
  address: string,
  status: number,
  mediaType: string | null,
): string | null {
  const template = templateOf(document, address);
  const operation = template === null ? undefined : document.paths[template]?.[method.toLowerCase()];
  // Addresses and methods that the document does not have: only the two errors that say so.
  if (!operation) return null;
  const response = operation.responses[status];
  if (!response) return `${method} ${template} answered ${status}, which openapi.json does not have`;
  const expected = Object.keys(response.content ?? {});
  const type = mediaType?.split(';')[0] ?? null;
  if (expected.length === 0 ? type !== null : type === null || !expected.includes(type))
    return `${method} ${template} answered ${status} as ${type}, openapi.json says ${expected}`;
  return null;
}

const checks = new Map<TSchema, (value: unknown) => boolean>();

function fits(schema: TSchema, value: unknown): boolean {
  const known = checks.get(schema) ?? checkOf(schema);
  checks.set(schema, known);
  return known(value);
}

/** Why the JSON of an answer does not match the contract; null if it does. */
export function wrongBody(
  document: OpenApi,
  method: string,
  address: string,
  status: number,
  body: unknown,
): string | null {
  const template = templateOf(document, address);
  const operation = template === null ? undefined : document.paths[template]?.[method.toLowerCase()];
  if (!operation) return null;
  const routes: Readonly<Record<string, Route>> = ROUTES;
  const said = routes[operation.operationId]?.answers[status];
  const error = status === 422 ? ValidationEnvelope : ErrorEnvelope;
  const schema = said ? said.schema : error;
  if (schema === undefined || fits(schema, body)) return null;
  return `${method} ${template} answered ${status} with what the contract does not say: ${JSON.stringify(body).slice(0, 500)}`;
}
