import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenApi, undocumented } from '../../../support/api/documented.ts';
import { documentFrom, TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
let document: OpenApi;
beforeAll(async () => {
  bench = await TestBench.start();
  document = await documentFrom(bench.url);
});
afterAll(() => bench.stop());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Interface specification, section 4. */
const CONTRACT = [
  ['get', '/health', 200, 'HealthResponse'],
  ['get', '/fpga', 200, 'FPGASummary'],
  ['get', '/fpga/{fpga_id}', 200, 'FPGASummary'],
  ['post', '/fpga/{fpga_id}/submit', 202, 'SubmitResponse'],
  ['post', '/fpga/{fpga_id}/run', 202, 'RunResponse'],
  ['post', '/fpga/{fpga_id}/reset', 202, 'SubmitResponse'],
  ['get', '/fpga/{fpga_id}/jobs/{job_id}', 200, 'JobResponse'],
  ['get', '/fpga/{fpga_id}/jobs/{job_id}/logs', 200, null],
  ['get', '/fpga/{fpga_id}/jobs/{job_id}/result', 200, 'RunResultResponse'],
  ['delete', '/fpga/{fpga_id}/jobs/{job_id}', 204, null],
  ['get', '/fpga/{fpga_id}/session', 200, 'SessionResponse'],
  ['post', '/fpga/{fpga_id}/session/release', 202, 'SubmitResponse'],
  ['post', '/auth/idp/exchange', 200, 'ExchangeResponse'],
] as const;

/** Section 2: field → required. */
const RESOURCES: Record<string, Record<string, boolean>> = {
  // The one field that was added to a response of the specification is `owner`.
  FPGASummary: { fpga_id: true, state: true, session: true, current_job_id: true, owner: true },
  SessionResponse: { session_id: true, fpga_id: true, owner: true, expires_at: true },
  JobResponse: { job_id: true, fpga_id: true, type: true, status: true, created_at: true, updated_at: true },
  // `select` is an addition that the decisions list.
  RunRequest: { op: true, address: true, data: false, count: false, fixed_address: false, select: false },
  SubmitResponse: { job_id: true, fpga_id: true, status: true },
  RunResponse: { job_id: true, fpga_id: true, status: true },
  RunResultResponse: { ok: true, data: true },
  HealthResponse: { status: true, store: true },
  ErrorResponse: { error: true, message: true, job_id: false },
  ExchangeRequest: { provider_token: true },
  ExchangeResponse: { api_key: true, provider_username: true },
};

test('the document is identical whatever options the bench starts with', async () => {
  const other = await TestBench.start({
    operatorToken: 'a token of the operator',
    realBoards: true,
    settings: { auth: { enforcement: true }, benches: { overflow: true } },
  });
  expect(await documentFrom(other.url)).toEqual(document);
  await other.stop();
  expect(bench.openapi).toEqual(document);
});

describe('openapi.json', () => {
  test('is OpenAPI 3.1 and reports version 0.1.0', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('0.1.0');
  });

  test('has the 13 endpoints of the specification with their success', () => {
    for (const [method, path, status, schema] of CONTRACT) {
      const response = document.paths[path]?.[method]?.responses[status];
      expect([method, path, response !== undefined]).toEqual([method, path, true]);
      if (schema) expect(JSON.stringify(response)).toContain(`"#/components/schemas/${schema}"`);
    }
  });

  test('has the resources of the specification field for field', () => {
    for (const [name, fields] of Object.entries(RESOURCES)) {
      const schema = document.components.schemas[name] as { properties: object; required?: string[] };
      expect([name, Object.keys(schema.properties)]).toEqual([name, Object.keys(fields)]);
      const required = Object.keys(fields).filter((field) => fields[field]);
      expect([name, schema.required ?? []]).toEqual([name, required]);
    }
    const values = (name: string) => (document.components.schemas[name] as { enum: string[] }).enum;
    expect(values('FPGAState')).toEqual(['idle', 'queued', 'building', 'programming', 'reserved', 'error']);
    expect(values('JobStatus')).toEqual(['queued', 'running', 'complete', 'failed', 'cancelled']);
    expect(values('JobType')).toEqual(['build_and_program', 'run', 'reset']);
  });

  test('has the status of every error of section 7 with its code', () => {
    for (const [method, path, status, code] of [
      ['post', '/fpga/{fpga_id}/submit', 409, 'fpga_not_idle'],
      ['post', '/fpga/{fpga_id}/run', 409, 'fpga_not_reserved'],
      ['post', '/fpga/{fpga_id}/reset', 409, 'fpga_not_resettable'],
      ['get', '/fpga/{fpga_id}/jobs/{job_id}/result', 409, 'job_not_complete'],
      ['delete', '/fpga/{fpga_id}/jobs/{job_id}', 409, 'job_not_cancellable'],
      ['get', '/fpga/{fpga_id}/session', 404, 'no_active_session'],
      ['post', '/fpga/{fpga_id}/session/release', 404, 'no_active_session'],
      ['get', '/fpga/{fpga_id}', 422, 'validation_error'],
    ] as const)
      expect(document.paths[path]?.[method]?.responses[status]?.description).toContain(`\`${code}\``);
  });

  test('every reference leads somewhere, every component is used', () => {
    const text = JSON.stringify(document);
    const referred = new Set(
      [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
    );
    expect([...referred].filter((name) => !(String(name) in document.components.schemas))).toEqual([]);
    expect(Object.keys(document.components.schemas).filter((name) => !referred.has(name))).toEqual([]);
    expect(text).not.toContain('"$id"');
  });

  test('every operation has a unique id, and every response a description', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, method, operation } of operations())
      for (const [status, { description }] of Object.entries(operation.responses))
        expect([method, path, status, description]).not.toEqual([method, path, status, 'Default Response']);
  });

  test('every parameter of a path is described', () => {
    for (const { path, operation } of operations()) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect([path, described.map(({ name }) => name)]).toEqual([path, names]);
    }
  });

  test('the shared check against the document can fail', () => {
    expect(undocumented(document, 'GET', '/fpga/1', 200, 'application/json; charset=utf-8')).toBeNull();
    expect(undocumented(document, 'GET', '/fpga/1', 418, 'application/json')).toMatch(/418/);
    expect(undocumented(document, 'GET', '/fpga/1', 200, 'text/plain')).toMatch(/text\/plain/);
  });
});
