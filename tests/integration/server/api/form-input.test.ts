import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FpgaSummary } from '../../../../server/contract/nodes/nodes.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';

/** For any input: a named error, nothing changed, the service runs on. */

let bench: TestBench;
let before: FpgaSummary[];
beforeAll(async () => {
  bench = await TestBench.start();
  await bench.reserve(1);
  before = (await bench.get<FpgaSummary[]>('/fpga')).body;
});
afterAll(() => bench.stop());

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;
const problem = (answer: { body: unknown }) => refusal(answer).errors?.[0];

/** No node has changed its state, and there is no new job. */
async function unchanged(): Promise<void> {
  expect((await bench.get('/fpga')).body).toEqual(before);
  expect((await bench.get<unknown[]>('/jobs')).body.length).toBe(1);
}

describe('the form of a submit', () => {
  const submit = (form: FormData) => bench.post('/fpga/0/submit', { body: form });
  const file = (contents: string | Uint8Array<ArrayBuffer> = SOURCE) => new Blob([contents]);
  const form = (...parts: [string, string | Blob, string?][]) => {
    const made = new FormData();
    for (const [name, value, filename] of parts)
      if (typeof value === 'string') made.append(name, value);
      else made.append(name, value, filename ?? 'design.v');
    return made;
  };

  test.each<[string, FormData, string[], RegExp]>([
    ['no part at all', form(), ['body', 'file'], /missing/],
    ['another field name', form(['design', file()]), ['body', 'file'], /sent as “design”/],
    ['text instead of a file', form(['file', SOURCE]), ['body', 'file'], /as a file/],
    ['an empty file', form(['file', file('')]), ['body', 'file'], /empty/],
    ['a file without a name', form(['file', file(), '']), ['body', 'file'], /no name/],
    ['a name of 300 characters', form(['file', file(), `${'a'.repeat(300)}.v`]), ['body', 'file'], /255/],
    [
      'a field name of 10,000 characters',
      form(['x'.repeat(10_000), 'y'], ['file', file()]),
      ['body'],
      /field name/,
    ],
    [
      '300 fields',
      form(...Array.from({ length: 300 }, (_, i): [string, string] => [`f${i}`, '']), ['file', file()]),
      ['body'],
      /200 fields/,
    ],
    [
      'top of 256 characters',
      form(['file', file()], ['top', 't'.repeat(256)]),
      ['body', 'top'],
      /at most 255/,
    ],
    ['top twice', form(['file', file()], ['top', 'a'], ['top', 'b']), ['body', 'top'], /more than once/],
    [
      'a timing target of 0',
      form(['file', file()], ['timing_target_mhz', '0']),
      ['body', 'timing_target_mhz'],
      /at least 1/,
    ],
    [
      'a timing target of 1001',
      form(['file', file()], ['timing_target_mhz', '1001']),
      ['body', 'timing_target_mhz'],
      /at most 1000/,
    ],
    [
      'a timing target in words',
      form(['file', file()], ['timing_target_mhz', 'fast']),
      ['body', 'timing_target_mhz'],
      /a number/,
    ],
    [
      'a timing target of NaN',
      form(['file', file()], ['timing_target_mhz', 'NaN']),
      ['body', 'timing_target_mhz'],
      /a number/,
    ],
    [
      'a permission in words',
      form(['file', file()], ['allow_timing_failure', 'maybe']),
      ['body', 'allow_timing_failure'],
      /true or false/,
    ],
    [
      'another addressing',
      form(['file', file()], ['addressing', 'nibble']),
      ['body', 'addressing'],
      /one of/,
    ],
    ['ties that are no JSON', form(['file', file()], ['ties', '{']), ['body', 'ties'], /JSON/],
    ['ties that are a list', form(['file', file()], ['ties', '[]']), ['body', 'ties'], /an object/],
    ['a tie of 2', form(['file', file()], ['ties', '{"irq": 2}']), ['body', 'ties', 'irq'], /one of 0, 1/],
    ['a tie of true', form(['file', file()], ['ties', '{"irq": true}']), ['body', 'ties', 'irq'], /integer/],
    [
      '300 ties',
      form(
        ['file', file()],
        ['ties', JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, 0])))],
      ),
      ['body', 'ties'],
      /at most 256/,
    ],
  ])('%s', async (_name, sent, loc, msg) => {
    const answer = await submit(sent);
    expect([answer.status, refusal(answer).error]).toEqual([422, 'validation_error']);
    expect(problem(answer)?.loc).toEqual(loc);
    expect(problem(answer)?.msg).toMatch(msg);
    await unchanged();
  });

  test('limits are exact: 1 MiB is accepted, a byte more is a 413', async () => {
    const full = await submit(form(['file', file(new Uint8Array(1 << 20).fill(0x20))]));
    expect(full.status).toBe(202);
    await bench.ended(0, (full.body as { job_id: string }).job_id);
    await bench.run(0, { op: 2, address: 0 });
    const release = await bench.post<{ job_id: string }>('/fpga/0/session/release');
    await bench.ended(0, release.body.job_id);
    for (const bytes of [(1 << 20) + 1, 2 << 20, 20 << 20]) {
      const over = await submit(form(['file', file(new Uint8Array(bytes))]));
      expect([bytes, over.status, refusal(over).error]).toEqual([bytes, 413, 'file_too_large']);
    }
    expect((await bench.node(0)).state).toBe('idle');
  });

  test.each([
    ['not a form', 'application/json', '{}', 415],
    ['form of the other kind', 'application/x-www-form-urlencoded', 'file=x', 415],
    ['no boundary', 'multipart/form-data', '--x\r\n', 422],
    ['nothing in it', 'multipart/form-data; boundary=x', '', 422],
    ['garbage', 'multipart/form-data; boundary=x', '\0\x01\x02 garbage', 422],
    [
      'cut off in the headers',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="fi',
      422,
    ],
    [
      'cut off in the file',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.v"\r\n\r\nmodule',
      422,
    ],
    [
      'no end',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.v"\r\n\r\nmodule\r\n--x\r\n',
      422,
    ],
    [
      'without names',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data\r\n\r\nmodule\r\n--x--\r\n',
      422,
    ],
    [
      'a prototype as field',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n1\r\n--x--\r\n',
      422,
    ],
    ['a boundary of 5,000', `multipart/form-data; boundary=${'x'.repeat(5000)}`, 'x', 422],
  ])('a broken body: %s', async (_name, type, body, status) => {
    const answer = await bench.post('/fpga/0/submit', { body, headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
    expect(refusal(answer).message).toMatch(/\.$/);
  });

  test('names of files keep their last part only', async () => {
    for (const [sent, kept] of [
      ['../../etc/passwd.v', 'passwd.v'],
      ['C:\\designs\\uart.v', 'uart.v'],
      ['a\u202eb\u0000c.v', 'a[U+202E]bc.v'],
      ['größe.v', 'größe.v'],
    ]) {
      const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="${sent}"\r\n\r\nmodule\r\n--x--\r\n`;
      const answer = await bench.post<{ job_id: string }>('/fpga/0/submit', {
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      });
      const job = await bench.ended(0, answer.body.job_id);
      expect(job.submit?.filename).toBe(kept);
      const release = await bench.post<{ job_id: string }>('/fpga/0/session/release');
      await bench.ended(0, release.body.job_id);
    }
  });

  test('any bytes as a form are refused or accepted without an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.boolean(), async (bytes, framed) => {
        const start = '--x\r\nContent-Disposition: form-data; name="top"\r\n\r\n';
        const body = framed
          ? Buffer.concat([Buffer.from(start), bytes, Buffer.from('\r\n--x--\r\n')])
          : Buffer.from(bytes);
        const answer = await bench.post('/fpga/0/submit', {
          body: new Uint8Array(body),
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
        });
        expect(answer.status).toBe(422);
      }),
      { numRuns: 80 },
    );
  });
});
