import http from 'node:http';
import net from 'node:net';
import { ENDPOINTS } from '../../server/contract/endpoints.ts';
import { BenchProcess } from './bench-process.ts';
import { mebibytes, randomOf } from './figures.ts';

export interface FuzzOptions {
  requests: number;
  seed: number;
}

export interface FuzzFigures {
  requests: number;
  seed: number;
  /** Answers by status; 0: the connection ended without one, as after bytes that are no HTTP. */
  statuses: Record<string, number>;
  /** Requests that were answered with a status of 500 or more other than 503. */
  failures: string[];
  /** Refused requests that changed a node, a job or the settings. */
  changes: string[];
  heldMoreMiB: number;
}

interface Attempt {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

/** Makes requests: good ones, nearly good ones, and nonsense, the same for the same seed. */
class Fuzzer {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  below = (n: number): number => Math.floor(this.#random() * n);
  pick = <T>(list: readonly T[]): T => list[this.below(list.length)] as T;

  text(): string {
    const parts = [
      'a',
      '0',
      '/',
      '..',
      '%',
      '%00',
      '%zz',
      '\u00e9',
      '"',
      "'",
      '{',
      '}',
      '\\',
      '__proto__',
      '-',
      '.v',
      ';',
    ];
    return Array.from({ length: this.below(12) }, () => this.pick(parts)).join('');
  }

  value(depth = 0): unknown {
    const plain = [0, 1, -1, 2 ** 32, 1.5, 1e300, true, null, '', 'x', this.text(), '0x10'];
    if (depth > 4 || this.below(3) > 0) return this.pick(plain);
    if (this.below(2) === 0) return Array.from({ length: this.below(5) }, () => this.value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: this.below(4) }, () => [this.text(), this.value(depth + 1)]),
    );
  }

  #body(): string {
    const kind = this.below(8);
    if (kind === 0) return JSON.stringify(this.value());
    if (kind === 1) return this.text();
    if (kind === 2) return this.pick(['[', '{"a":', '{"__proto__":']).repeat(1 + this.below(6000));
    const run: Record<string, unknown> = {
      op: this.pick([1, 2, 2, 3, '1']),
      address: this.pick([0, 4, 3, -4, 2 ** 31]),
    };
    if (this.below(2)) run['data'] = this.value();
    if (this.below(2)) run['count'] = this.pick([1, 4, 0, 70_000, 'x']);
    if (kind === 3) run[this.text()] = this.value();
    // Settings, boards, the exchange: their own fields with any values.
    if (kind === 4) return JSON.stringify({ sessions: { ttl_seconds: this.value() }, network: this.value() });
    if (kind === 5) return JSON.stringify({ board: this.value(), provider_token: this.value() });
    return JSON.stringify(run);
  }

  #form(boundary: string): string {
    const part = () =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${this.pick(['file', 'top', 'ties', 'x', this.text().replace(/"/g, '')])}"${
        this.below(2) ? `; filename="${this.pick(['a.v', 'nul.v', '../x', ''])}"` : ''
      }\r\n\r\n${this.pick(['module a; endmodule', '{}', '', this.text()])}\r\n`;
    const parts = Array.from({ length: this.below(4) }, part).join('');
    return `${parts}--${boundary}${this.pick(['--', '', '-'])}\r\n`;
  }

  attempt(): Attempt {
    const { method, path } = this.pick(Object.values(ENDPOINTS));
    const uuid = this.pick(['00000000-0000-4000-8000-000000000000', 'x', this.text()]);
    const address = path
      .replace(':fpga_id', () =>
        this.pick(['0', '1', '9', '10', '-1', '07', encodeURIComponent(this.text())]),
      )
      .replace(':job_id', () => encodeURIComponent(uuid))
      .replace(/:\w+/, () => encodeURIComponent(this.text()));
    const query = this.pick([
      '',
      '',
      '',
      '?wait=0',
      '?limit=x',
      '?status=queued',
      '?offset=-1',
      `?${encodeURI(this.text())}`,
    ]);
    const headers: Record<string, string> = {};
    if (this.below(4) === 0) headers['x-api-key'] = this.pick(['alice', 'wbk_x', ' ', 'a'.repeat(300)]);
    if (this.below(8) === 0) headers['x-session-id'] = this.text().replace(/[^\x20-\x7e]/g, '');
    if (this.below(12) === 0) headers['x-operator-token'] = 'wrong';
    if (this.below(20) === 0) headers['origin'] = this.pick(['null', 'http://evil.example', 'x']);
    if (this.below(20) === 0) headers['sec-fetch-site'] = this.pick(['cross-site', 'none', 'x']);
    if (this.below(20) === 0) headers['expect'] = this.pick(['100-continue', 'x']);
    if (this.below(30) === 0) headers['content-encoding'] = 'gzip';
    let body: string | null = null;
    const sends = method === 'POST' || method === 'PUT';
    if (sends ? this.below(10) > 0 : this.below(20) === 0) {
      const form = /submit|scan/.test(path) ? this.below(5) > 0 : this.below(10) === 0;
      body = form ? this.#form('b') : this.#body();
      headers['content-type'] = form
        ? this.pick(['multipart/form-data; boundary=b', 'multipart/form-data'])
        : this.pick(['application/json', 'application/json', 'application/json', 'text/plain', '']);
      if (headers['content-type'] === '') delete headers['content-type'];
    }
    return {
      method: this.below(12) === 0 ? this.pick(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'POST']) : method,
      path: address + query,
      headers,
      body,
    };
  }

  /** Bytes that are nearly HTTP. */
  bytes(host: string): string {
    const line = this.pick([
      'GET / HTTP/1.1',
      'x',
      'GET /\0 HTTP/1.1',
      'POST /scan HTTP/1.1',
      `${this.text()} / HTTP/9`,
    ]);
    const more = this.pick([
      '',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: x\r\n',
      `${this.text()}\r\n`,
      'Expect: x\r\n',
    ]);
    return `${line}\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n${this.text()}`;
  }
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });

function send(url: string, { method, path, headers, body }: Attempt): Promise<number> {
  return new Promise((resolve) => {
    const request = http.request(url + path, { method, headers, agent }, (response) => {
      const done = () => resolve(response.statusCode ?? 0);
      response.on('end', done).on('error', done).on('close', done);
      // An event stream has no end.
      if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy();
      else response.resume();
    });
    request.on('error', () => resolve(0));
    request.end(body ?? undefined);
  });
}

function sendBytes(url: string, bytes: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let status = 0;
    const socket = net.connect(Number(port), hostname, () => socket.end(bytes, 'latin1'));
    socket.on('data', (data) => {
      status ||= Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 0);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(status));
  });
}

/** State that a refused request must not change. */
async function stateOf(url: string): Promise<string> {
  const routes = ['/fpga', '/jobs?limit=10000', '/settings', '/auth/keys'];
  const parts = await Promise.all(routes.map(async (route) => await (await fetch(url + route)).text()));
  return parts.join('\n');
}

/** Maximum wait for accepted work to end, ms. */
const SETTLED_MS = 20_000;

/** Waits until no job is open and no board check runs: both continue for a while. */
async function settled(url: string): Promise<void> {
  const until = performance.now() + SETTLED_MS;
  const busy = async () => {
    const open = (await (await fetch(`${url}/jobs?status=queued,running&limit=1`)).json()) as unknown[];
    if (open.length > 0) return true;
    const checks = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, slot) => await (await fetch(`${url}/boards/${slot}/check`)).text(),
      ),
    );
    return checks.some((text) => text.includes('"state":"running"'));
  };
  while ((await busy()) && performance.now() < until) await new Promise((next) => setTimeout(next, 10));
}

/** Eight requests at a time. None may end in an unexpected error, and no refused one may change anything. */
export async function fuzz({ requests, seed }: FuzzOptions): Promise<FuzzFigures> {
  const bench = await BenchProcess.start();
  const fuzzer = new Fuzzer(seed);
  const statuses: Record<string, number> = {};
  const failures: string[] = [];
  const changes: string[] = [];
  let start = 0;
  try {
    const { host } = new URL(bench.url);
    let before = await stateOf(bench.url);
    for (let sent = 0; sent < requests; ) {
      const batch = Array.from({ length: Math.min(8, requests - sent) }, () => fuzzer.attempt());
      const bytes = fuzzer.below(8) === 0 ? fuzzer.bytes(host) : null;
      const answers = await Promise.all([
        ...batch.map((attempt) => send(bench.url, attempt)),
        ...(bytes === null ? [] : [sendBytes(bench.url, bytes)]),
      ]);
      for (const [i, status] of answers.entries()) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status >= 500 && status !== 503)
          failures.push(`${status} ${JSON.stringify(batch[i] ?? bytes).slice(0, 400)}`);
      }
      sent += answers.length;
      // A batch with only reads changes nothing.
      const taken = batch.some(({ method }, i) => method !== 'GET' && (answers[i] ?? 0) < 400);
      if (taken || sent % 200 < 9) {
        const now = await stateOf(bench.url);
        if (!taken && now !== before) changes.push(JSON.stringify(batch).slice(0, 1000));
        before = now;
        // Accepted work continues: the comparison uses its result.
        if (taken) {
          await settled(bench.url);
          before = await stateOf(bench.url);
        }
      }
      // One-time work (caches, compiled code) is done by then.
      if (start === 0 && sent >= requests / 4) start = (await bench.memory()).held;
    }
    const { held } = await bench.memory();
    return { requests, seed, statuses, failures, changes, heldMoreMiB: mebibytes(held - start) };
  } finally {
    await bench.stop();
  }
}
