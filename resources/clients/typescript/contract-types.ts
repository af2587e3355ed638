import * as audit from '../../../server/contract/bench/audit.ts';
import * as bench from '../../../server/contract/bench/bench.ts';
import * as settings from '../../../server/contract/bench/settings.ts';
import * as checks from '../../../server/contract/boards/board-checks.ts';
import * as boards from '../../../server/contract/boards/boards.ts';
import * as capabilities from '../../../server/contract/boards/capabilities.ts';
import * as keptDesigns from '../../../server/contract/designs/designs.ts';
import * as registerMap from '../../../server/contract/designs/register-map.ts';
import * as designs from '../../../server/contract/designs/uploads.ts';
import * as diagnostics from '../../../server/contract/diagnostics.ts';
import { ENDPOINTS, type EndpointId } from '../../../server/contract/endpoints.ts';
import * as events from '../../../server/contract/events/events.ts';
import * as failures from '../../../server/contract/failures.ts';
import * as identity from '../../../server/contract/identity/identity.ts';
import * as jobs from '../../../server/contract/jobs/jobs.ts';
import * as runs from '../../../server/contract/jobs/runs.ts';
import * as scripts from '../../../server/contract/jobs/scripts.ts';
import * as activity from '../../../server/contract/nodes/activity.ts';
import * as control from '../../../server/contract/nodes/control.ts';
import * as csr from '../../../server/contract/nodes/csr.ts';
import * as nodes from '../../../server/contract/nodes/nodes.ts';
import * as pins from '../../../server/contract/nodes/pins.ts';
import * as terminal from '../../../server/contract/nodes/terminal.ts';
import * as benches from '../../../server/contract/remote/benches.ts';
import type { Route } from '../../../server/contract/route.ts';
import { ROUTES } from '../../../server/contract/routes.ts';
import * as stream from '../../../server/contract/stream/stream.ts';

/** The forms of JSON Schema that the contract uses. */
interface Schema {
  description?: string;
  type?: string;
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Readonly<Record<string, Schema>>;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  ('anyOf' in value ||
    'enum' in value ||
    'const' in value ||
    ('type' in value && typeof value.type === 'string'));

const MODULES = {
  audit,
  bench,
  benches,
  checks,
  boards,
  capabilities,
  control,
  designs,
  diagnostics,
  events,
  failures,
  activity,
  identity,
  jobs,
  keptDesigns,
  nodes,
  pins,
  registerMap,
  runs,
  scripts,
  settings,
  csr,
  stream,
  terminal,
};

/** Schemas with a name in the contract; their types have the same name. */
function namedSchemas(): Map<Schema, string> {
  const named = new Map<Schema, string>();
  for (const module of Object.values(MODULES))
    for (const [name, value] of Object.entries(module))
      if (/^[A-Z][a-z]/.test(name) && isSchema(value) && !named.has(value)) named.set(value, name);
  const problem = failures.ValidationEnvelope.properties.detail.properties.errors.items;
  named.set(problem, 'FieldProblem');
  const [, , , , end] = stream.StreamMessage.anyOf;
  return named.set(end.properties.error, 'StreamFailure');
}

const named = namedSchemas();

const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** `sent`: an optional field may be undefined; the request then omits it. */
interface Writing {
  indent: string;
  sent: boolean;
}

function objectType(schema: Schema, { indent, sent }: Writing): string {
  const { properties, required = [], additionalProperties, patternProperties } = schema;
  const rest = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
  if (properties === undefined)
    return `Record<string, ${typeof rest === 'object' ? typeOf(rest, { indent, sent }) : 'unknown'}>`;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, field]) => {
    const optional = !required.includes(name);
    const type = typeOf(field, { indent: inner, sent });
    const undefinable = optional && sent ? ' | undefined' : '';
    return `${comment(field.description, inner)}${inner}${key(name)}${optional ? '?' : ''}: ${type}${undefinable};\n`;
  });
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`;
}

/** Writes a schema as TypeScript. @throws Error for a form that the contract does not use yet */
function typeOf(schema: Schema, writing: Writing): string {
  return named.get(schema) ?? typeOfUnnamed(schema, writing);
}

function typeOfUnnamed(schema: Schema, writing: Writing): string {
  const union = (parts: readonly string[]) => (parts.length === 1 ? (parts[0] ?? '') : parts.join(' | '));
  if (schema.anyOf) return union(schema.anyOf.map((one) => typeOf(one, writing)));
  if (schema.allOf) return schema.allOf.map((one) => typeOf(one, writing)).join(' & ');
  if (schema.enum) return union(schema.enum.map((one) => JSON.stringify(one)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'UploadedFile' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array': {
      const item = typeOf(schema.items ?? {}, writing);
      return /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, writing);
    default:
      throw new Error(`A schema of this kind is not known here: ${JSON.stringify(schema).slice(0, 200)}`);
  }
}

const isRequired = (schema: Schema | undefined): boolean => (schema?.required ?? []).length > 0;

function inputType({ params, query, body }: Route): { type: string; optional: boolean } {
  const parts = [params, query].flatMap((part) => (isSchema(part) ? [part] : []));
  const types = parts.map((part) => objectType(part, { indent: '  ', sent: true }));
  if (body && isSchema(body.schema))
    types.push(
      `{ body: ${typeOf(body.schema, { indent: '  ', sent: true })}${body.or === undefined ? '' : ' | string'} }`,
    );
  return {
    type: types.length === 0 ? 'Record<string, never>' : types.join(' & '),
    optional: body === undefined && !parts.some(isRequired),
  };
}

/** Type of a call's result: the union of its JSON answers, or the type that its endpoint declares. */
function outputType(id: EndpointId, { answers }: Route): string {
  const { answer } = ENDPOINTS[id];
  switch (answer) {
    case 'json': {
      const all = Object.values(answers).flatMap((one) =>
        'schema' in one && isSchema(one.schema) ? [one.schema] : [],
      );
      return [...new Set(all.map((one) => typeOf(one, { indent: '  ', sent: false })))].join(' | ');
    }
    case 'bytes':
      return 'Uint8Array<ArrayBuffer>';
    case 'empty':
      return 'undefined';
    case 'events':
      return 'Answer';
    case 'upgrade':
      return 'never';
  }
}

function method(id: EndpointId, route: Route): string {
  const { type, optional } = inputType(route);
  const says = route.description === undefined ? route.summary : `${route.summary}. ${route.description}`;
  return `${comment(says, '  ')}  ${id}(input${optional ? '?' : ''}: ${type}, options?: CallOptions): Promise<${outputType(id, route)}>;\n`;
}

const PRELUDE = `// Made from the contract of the service; see server/contract/.
import type { Answer, CallOptions, ClientOptions } from './request.js';

/** Name of an operation: a method of the client. */
export type EndpointId = Exclude<keyof Client, 'options' | 'jobEnded' | 'followLog'>;

/** A source file as a client sends it. */
export interface UploadedFile {
  /** Base name; its extension chooses the language. */
  name: string;
  contents: Uint8Array | string;
}
`;

const CLIENT_EXTRAS = `  readonly options: ClientOptions;
  /** Waits for the end of a job, by long polls. \`onChange\` is told of every change of its status on the way. */
  jobEnded(job: { fpga_id: number; job_id: string }, options?: CallOptions & { onChange?: (job: Job) => void }): Promise<Job>;
  /** The log from its beginning, then what is appended, until the job ends. */
  followLog(job: { fpga_id: number; job_id: string; offset?: number }, options?: CallOptions): AsyncIterable<Uint8Array>;
`;

/** The types of the whole contract as one declaration file without imports of a package. */
export function contractTypes(): string {
  const types = [...named].map(([schema, name]) => {
    const type = typeOfUnnamed(schema, { indent: '', sent: false });
    const what = comment(schema.description, '');
    return schema.properties && !schema.anyOf
      ? `${what}export interface ${name} ${type}\n`
      : `${what}export type ${name} = ${type};\n`;
  });
  const routes: Readonly<Record<EndpointId, Route>> = ROUTES;
  const methods = (Object.keys(ENDPOINTS) as EndpointId[])
    // openStream opens WebSockets.
    .filter((id) => ENDPOINTS[id].answer !== 'upgrade')
    .map((id) => method(id, routes[id]));
  return `${PRELUDE}
${types.join('\n')}
/** The service, one method an operation of its openapi.json, and what takes several requests. */
export interface Client {
${methods.join('')}${CLIENT_EXTRAS}}

/**
 * The typed client of the service. Every call rejects with ServiceError where the service refuses, with
 * UnreachableError where nothing answers, and with the signal's reason.
 */
export declare function createClient(options: ClientOptions): Client;
`;
}
