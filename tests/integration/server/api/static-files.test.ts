import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { head, sendRaw } from '../../../support/api/raw-http.ts';
import type { Refusal } from '../../../support/api/test-bench.ts';
import { TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const BASES = [
  '/docs/static/',
  '/docs/static',
  '/docs/',
  '/docs',
  '/assets/',
  '/',
  '/openapi.json/',
  '/node/',
];
const PARTS = [
  ...[
    '/',
    '//',
    '%2f',
    '%2F',
    '\\',
    '%5c',
    '%5C',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '.%2e',
    ':',
    '~',
    '*',
    '$',
    '%',
    '%2',
    '%zz',
  ],
  ...[
    '%00',
    '%0a',
    '%0d%0a',
    '%20',
    '%25',
    '%252e%252e',
    '%c0%af',
    '%c0%ae',
    '%ff',
    '%e2%80%ae',
    '%uff0e',
    '%3f',
    '%23',
    '?',
  ],
  ...[
    'package.json',
    'swagger-ui.css',
    'index.html',
    'swagger-ui.css.br',
    'SWAGGER-UI.CSS',
    'static',
    'assets',
    'C%3a',
    'a'.repeat(300),
  ],
];
const HEADERS: Record<string, string>[] = [
  {},
  { Range: 'bytes=5-2' },
  { Range: 'bytes=99999999-' },
  { Range: 'bytes=0-1,4-5' },
  { Range: 'lines=1' },
  { 'If-Match': '"nothing"' },
  { 'If-None-Match': '*' },
  { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
  { 'Accept-Encoding': 'br, gzip' },
  { Accept: 'text/html' },
];

/** Status and code of what must be a page or file of ours, or a refusal in the envelope. */
async function ask(method: string, address: string, headers: Record<string, string>): Promise<number> {
  const asked = head(bench.url, `${method} ${address}`, { ...headers, Connection: 'close' });
  const { status, headers: answered, body } = await sendRaw(bench.url, asked);
  const what = `${method} ${address} ${JSON.stringify(headers)}: ${status} ${body.slice(0, 300)}`;
  expect(status, what).toBeLessThan(500);
  // Paths outside the served folders.
  expect(body, what).not.toContain('devDependencies');
  if (status < 400) return status;
  expect(answered['content-type'], what).toMatch(/^application\/json/);
  if (method === 'GET') {
    const { detail } = JSON.parse(body) as Refusal;
    expect(detail.error, what).toMatch(/^[a-z_]+$/);
    expect(detail.message, what).not.toMatch(/node_modules|\bat \w+ \(/);
  }
  return status;
}

test('a path outside the files is not found', async () => {
  for (const address of ['/docs/static/..%5c..%5cpackage.json', '/docs/static/%2e%2e/package.json'])
    expect(await ask('GET', address, {})).toBe(404);
  expect(await ask('GET', '/docs/static/swagger-ui.css', {})).toBe(200);
});

test('any spelling of a file path yields a file or an error in the envelope', async () => {
  const parts = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'HEAD'),
      fc.constantFrom(...BASES),
      parts,
      fc.constantFrom(...HEADERS),
      async (method, base, path, headers) => {
        await ask(method, base + path.join(''), headers);
      },
    ),
    { numRuns: 400, seed: 20_261_128 },
  );
  for (const file of ['/docs/static/swagger-ui.css', '/docs/static/index.html', '/'])
    for (const headers of HEADERS) for (const method of ['GET', 'HEAD']) await ask(method, file, headers);
});
