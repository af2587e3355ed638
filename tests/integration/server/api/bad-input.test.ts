import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { head, sendRaw } from '../../../support/api/raw-http.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';

/** For any input: a named error, nothing changed, the service runs on. */

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
  await bench.reserve(1);
});
afterAll(() => bench.stop());

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;
const problem = (answer: { body: unknown }) => refusal(answer).errors?.[0];

describe('the body of a run', () => {
  const run = (json: unknown) => bench.post('/fpga/1/run', { json });
  const word = 0xffff_ffff;

  test.each<[string, unknown, (string | number)[]]>([
    ['nothing', {}, ['body', 'op']],
    ['no op', { address: 0 }, ['body', 'op']],
    ['op 0', { op: 0, address: 0 }, ['body', 'op']],
    ['op 3', { op: 3, address: 0 }, ['body', 'op']],
    ['op as text', { op: '1', address: 0 }, ['body', 'op']],
    ['op true', { op: true, address: 0 }, ['body', 'op']],
    ['op 1.5', { op: 1.5, address: 0 }, ['body', 'op']],
    ['op null', { op: null, address: 0 }, ['body', 'op']],
    ['no address', { op: 2 }, ['body', 'address']],
    ['an address as text', { op: 2, address: '0x10' }, ['body', 'address']],
    ['an address of -4', { op: 2, address: -4 }, ['body', 'address']],
    ['an address of 2', { op: 2, address: 2 }, ['body', 'address']],
    ['an address of 2^32', { op: 2, address: 2 ** 32 }, ['body', 'address']],
    ['an address of 1e300', { op: 2, address: 1e300 }, ['body', 'address']],
    ['data that is a number', { op: 1, address: 0, data: 1 }, ['body', 'data']],
    ['data null', { op: 1, address: 0, data: null }, ['body', 'data']],
    ['a word of -1', { op: 1, address: 0, data: [0, -1] }, ['body', 'data', 1]],
    ['a word of 2^32', { op: 1, address: 0, data: [2 ** 32] }, ['body', 'data', 0]],
    ['a word of 0.5', { op: 1, address: 0, data: [0.5] }, ['body', 'data', 0]],
    ['a word as text', { op: 1, address: 0, data: ['1'] }, ['body', 'data', 0]],
    ['65,537 words', { op: 1, address: 0, data: new Array(65_537).fill(0) }, ['body', 'data']],
    ['a count of 0', { op: 2, address: 0, count: 0 }, ['body', 'count']],
    ['a count of 65,537', { op: 2, address: 0, count: 65_537 }, ['body', 'count']],
    ['a count of 1.5', { op: 2, address: 0, count: 1.5 }, ['body', 'count']],
    ['a count as text', { op: 2, address: 0, count: '1' }, ['body', 'count']],
    ['fixed_address as a number', { op: 2, address: 0, fixed_address: 1 }, ['body', 'fixed_address']],
    ['a write to the base SoC', { op: 1, address: 0xf000_0000, data: [1] }, ['body', 'address']],
    ['a write into the base SoC', { op: 1, address: 0xefff_fffc, data: [1, 2] }, ['body', 'address']],
    ['a read past the end', { op: 2, address: 0xffff_fffc, count: 2 }, ['body', 'count']],
    ['a list', [], ['body']],
    ['a number', 7, ['body']],
    ['text', 'op', ['body']],
    ['null', null, ['body']],
  ])('%s', async (_name, json, loc) => {
    const answer = await run(json);
    expect([answer.status, refusal(answer).error]).toEqual([422, 'validation_error']);
    expect(problem(answer)?.loc).toEqual(loc);
  });

  test('accepts values at the limits', async () => {
    for (const json of [
      { op: 2, address: 0xffff_fffc },
      { op: 2, address: 0xefff_0000, count: 65_536, fixed_address: true },
      { op: 1, address: 0xefff_fffc, data: [word] },
      { op: 1, address: 0, data: [] },
      { op: 1, address: 0, data: new Array(65_536).fill(word) },
      { op: 2, address: 0, count: 65_536 },
      { op: 2, address: 0, data: [1, 2], count: 1, unknown: 'left alone' },
      { op: 1, address: 0, data: [1], count: 0 },
      { op: 1, address: 0, data: [1], count: -1 },
      { op: 1, address: 0, data: [1], count: 2 ** 40 },
    ])
      expect([JSON.stringify(json).slice(0, 60), (await run(json)).status]).toEqual([
        JSON.stringify(json).slice(0, 60),
        202,
      ]);
  });

  test('a write of an empty list completes', async () => {
    const job = await bench.run(1, { op: 1, address: 0 });
    expect((await bench.get(`/fpga/1/jobs/${job}/result`)).body).toEqual({ ok: true, data: [] });
  });

  test.each([
    ['broken JSON', '{"op": 1', 422],
    ['nothing', '', 422],
    ['two documents', '{} {}', 422],
    ['a comment', '{/* op */}', 422],
    ['a prototype', '{"op":2,"address":0,"__proto__":{"x":1}}', 422],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 422],
    ['nested 100,000 deep', '['.repeat(100_000), 422],
    ['a body of 5 MiB', ' '.repeat(5 << 20), 413],
  ])('%s', async (_name, body, status) => {
    const answer = await bench.post('/fpga/1/run', { body, headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(status);
    expect(refusal(answer).message).toMatch(/\.$/);
  });

  test('another Content-Type or any Content-Encoding is a 415', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/jsonx' },
      { 'content-type': 'nonsense' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ] as Record<string, string>[]) {
      const answer = await bench.post('/fpga/1/run', { body: '{}', headers });
      expect([answer.status, refusal(answer).error]).toEqual([415, 'unsupported_media_type']);
    }
    const charset = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await bench.post('/fpga/1/run', { body: '{"op":2,"address":0}', headers: charset })).status).toBe(
      202,
    );
  });

  test('any JSON is accepted exactly if it is a RunRequest', async () => {
    const integer = fc.oneof(
      fc.integer(),
      fc.nat(0xffff_ffff),
      fc.constantFrom(1, 2, 0, 4, 8, 0xf000_0000, 0xffff_fffc, 2 ** 32),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
    );
    const request = fc.record(
      {
        op: integer,
        address: integer,
        data: fc.oneof(fc.array(integer, { maxLength: 5 }), integer),
        count: integer,
        fixed_address: fc.oneof(fc.boolean(), integer),
      },
      { requiredKeys: [] },
    );
    const unsigned = (value: unknown): value is number =>
      typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
    // Written again from the specification, without the schema.
    const valid = (sent: Record<string, unknown>): boolean => {
      const { op, address, data = [], count = 1, fixed_address = false } = sent;
      if (op !== 1 && op !== 2) return false;
      if (!unsigned(address) || address % 4 !== 0) return false;
      if (!Array.isArray(data) || !data.every(unsigned)) return false;
      if (typeof count !== 'number' || !Number.isInteger(count)) return false;
      // The `count` of a write is ignored, whatever it is.
      if (op === 2 && (count < 1 || count > 65_536)) return false;
      if (typeof fixed_address !== 'boolean') return false;
      const words = op === 1 ? data.length : count;
      const end = address + 4 * (fixed_address ? Math.min(words, 1) : words);
      return op === 1 && words > 0 ? end <= 0xf000_0000 : end <= 2 ** 32;
    };
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        // JSON drops the rest.
        const arrives = JSON.parse(JSON.stringify(sent)) as Record<string, unknown>;
        expect((await run(sent)).status).toBe(valid(arrives) ? 202 : 422);
      }),
      { numRuns: 300 },
    );
  });
});

describe('requests as bytes', () => {
  test('headers beyond 16 KiB: 431 in the envelope', async () => {
    const answer = await sendRaw(bench.url, head(bench.url, 'GET /health', { 'X-Big': 'a'.repeat(20_000) }));
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.body).detail.error).toBe('headers_too_large');
    expect(answer.headers['content-security-policy']).toBeDefined();
  });

  test('malformed HTTP: 400 with the error envelope', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /health HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01',
    ]) {
      const answer = await sendRaw(bench.url, bytes, { end: true });
      expect([bytes.slice(0, 10), answer.status]).toEqual([bytes.slice(0, 10), 400]);
      expect(JSON.parse(answer.body).detail.error).toBe('bad_request');
    }
  });

  test('a body over the limit that does not say its length: 413', async () => {
    for (const [route, type] of [
      ['/fpga/1/run', 'application/json'],
      ['/fpga/0/submit', 'multipart/form-data; boundary=x'],
      ['/fpga/1/reset', 'text/plain'],
    ] as const) {
      const chunk = new Uint8Array(256 * 1024).fill(0x20);
      let sent = 0;
      const body = new ReadableStream({
        pull(controller) {
          if (sent++ < 20) controller.enqueue(chunk);
          else controller.close();
        },
      });
      const headers = { 'content-type': type };
      const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit;
      const answer = await fetch(bench.url + route, init);
      expect([route, answer.status]).toEqual([route, 413]);
      expect(((await answer.json()) as Refusal).detail.error).toBe('file_too_large');
    }
  });

  test('a truncated body changes nothing', async () => {
    const request = head(bench.url, 'POST /fpga/1/run', {
      'Content-Type': 'application/json',
      'Content-Length': '1000',
    });
    await sendRaw(bench.url, `${request}{"op": 2,`, { end: true }).catch(() => {});
    const chunked = head(bench.url, 'POST /fpga/0/submit', {
      'Content-Type': 'multipart/form-data; boundary=x',
      'Transfer-Encoding': 'chunked',
    });
    await sendRaw(bench.url, `${chunked}zz\r\n`, { end: true }).catch(() => {});
    expect((await bench.node(0)).state).toBe('idle');
  });

  test('routes without a body accept and ignore any body', async () => {
    for (const [body, type] of [
      ['', 'application/json'],
      ['{', 'application/json'],
      ['x', 'text/plain'],
    ] as const) {
      const answer = await bench.post('/fpga/2/reset', { body, headers: { 'content-type': type } });
      expect([answer.status, refusal(answer).error]).toEqual([409, 'fpga_not_resettable']);
    }
  });

  test('an unknown route returns 404 and a wrong method 405, whatever the body', async () => {
    const body = new Uint8Array(3 << 20);
    const nothing = await bench.post('/nothing', { body, headers: { 'content-type': 'application/json' } });
    expect([nothing.status, refusal(nothing).error]).toEqual([404, 'not_found']);
    const method = await bench.put('/fpga/1', { body, headers: { 'content-type': 'text/plain' } });
    expect([method.status, refusal(method).error]).toEqual([405, 'method_not_allowed']);
  });

  test('errors for any path have the envelope', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/fpga/', '/fpga/1/', '/fpga/1/jobs/', '/examples/', '/'),
        fc.webPath(),
        async (prefix, path) => {
          const answer = await bench.get(`${prefix}${path.replace(/^\/+/, '')}`, { redirect: 'manual' });
          if (answer.status >= 400) expect(refusal(answer).error).toMatch(/^[a-z_]+$/);
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a known route with another method: 405 with Allow', async () => {
    for (const [method, route, allow] of [
      ['POST', '/fpga', 'GET, HEAD'],
      ['DELETE', '/fpga/1', 'GET, HEAD'],
      ['GET', '/fpga/1/submit', 'POST'],
      ['PATCH', '/settings', 'GET, HEAD, PUT'],
      ['OPTIONS', '/fpga/1/run', 'POST'],
    ] as const) {
      const answer = await bench.ask(method, route);
      expect([route, answer.status, refusal(answer).error, answer.headers.get('allow')]).toEqual([
        route,
        405,
        'method_not_allowed',
        allow,
      ]);
    }
  });
});
