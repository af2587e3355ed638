import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { distPath } from '../../server/paths.ts';

/** Milliseconds between two pieces of a log: as often as the service itself announces text. */
const BATCH_MS = 40;
const JOB = '00000000-0000-4000-8000-00000000aaaa';
const NODE_COUNT = 10;

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** A line like those of the tools. */
const line = (index: number): string =>
  `[${(index / 5000).toFixed(3).padStart(8)} synthesis] line ${index} Generating RTLIL representation for module SB_LUT4.\n`;

/** The built GUI over one job whose log grows as fast as one likes: no real tool writes that fast for long. */
export interface LogStream {
  url: string;
  /** Text of the last line, without the prefix. */
  readonly lastLine: string;
  /** Sends lines at this rate; resolves with the number of lines in the log. */
  send(linesPerSecond: number, seconds: number): Promise<number>;
  /** Makes the log this long before it is opened. */
  fill(bytes: number): void;
  close(): Promise<void>;
}

const now = () => new Date().toISOString();

const job = () => ({
  job_id: JOB,
  fpga_id: 0,
  type: 'build_and_program',
  status: 'running',
  stage: 'synthesis',
  created_at: now(),
  updated_at: now(),
  started_at: now(),
  owner: 'bench',
  submit: { filename: 'long.v', size: 1, options: {} },
});

const nodes = () =>
  Array.from({ length: NODE_COUNT }, (_, id) => ({
    fpga_id: id,
    state: id === 0 ? 'building' : 'idle',
    session: null,
    current_job_id: id === 0 ? JOB : null,
    error: null,
    resetting: false,
    board: {
      slot: id,
      id: `virtual:${id}`,
      kind: 'virtual',
      definition: 'virtual-hx8k',
      name: 'Virtual',
      present: true,
    },
    design: null,
    last_job_id: null,
    replacement: null,
  }));

const status = {
  version: '0',
  address: 'http://127.0.0.1',
  lan: { enabled: false, addresses: [] },
  enforcement: false,
  clients: 1,
  store: true,
  builds: { busy: 1, total: 1, waiting: 0 },
};

export async function startLogStream(): Promise<LogStream> {
  let text = line(0);
  let lines = 1;
  const streams = new Set<http.ServerResponse>();
  const publish = (event: object) => {
    for (const response of streams) response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  const server = http.createServer((request, response) => {
    const [address = ''] = (request.url ?? '').split('?');
    const json = (value: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (address === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      streams.add(response);
      response.on('close', () => streams.delete(response));
      publish({ type: 'snapshot', nodes: nodes(), jobs: [job()], boards: [], status });
    } else if (address.endsWith('/logs')) {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(text);
    } else if (address === '/fpga/0/jobs') json([job()]);
    else if (address === '/status') json(status);
    else {
      const file = address === '/' ? 'index.html' : address.slice(1);
      try {
        const body = readFileSync(path.join(distPath('renderer'), file));
        response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
        response.end(body);
      } catch {
        response.writeHead(404).end();
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lastLine() {
      return `line ${lines - 1} `;
    },
    async send(linesPerSecond, seconds) {
      const started = performance.now();
      const first = lines;
      while (lines - first < linesPerSecond * seconds) {
        await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
        const due = Math.min(
          linesPerSecond * seconds,
          ((performance.now() - started) / 1000) * linesPerSecond,
        );
        const offset = text.length;
        let fresh = '';
        for (; lines - first < due; lines += 1) fresh += line(lines);
        text += fresh;
        publish({ type: 'log', fpga_id: 0, job_id: JOB, offset, text: fresh });
      }
      return lines;
    },
    fill(bytes) {
      const parts: string[] = [];
      let length = 0;
      for (lines = 0; length < bytes; lines += 1) {
        const next = line(lines);
        parts.push(next);
        length += next.length;
      }
      text = parts.join('');
    },
    async close() {
      for (const response of streams) response.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
