import net from 'node:net';
import { BenchProcess } from './bench-process.ts';
import { mebibytes, quantile } from './figures.ts';

/** What the readers request and do not read. */
export const UNREAD = ['log', 'follow', 'events', 'source', 'result', 'jobs', 'openapi', 'mixed'] as const;
type Unread = (typeof UNREAD)[number];

export interface SlowReadersOptions {
  readers: number;
  what: Unread;
  /** How long they stay, ms. */
  forMs: number;
}

export interface SlowReadersFigures {
  readers: number;
  what: Unread;
  /** Growth while they were there: maximum of resident memory, and live memory at the end. */
  residentMoreMiB: number;
  heldMoreMiB: number;
  /** Of the other callers' requests, before and during. */
  p99BeforeMs: number;
  p99DuringMs: number;
  /** Their answers that were no 200. */
  othersRefused: number;
}

/** Repeats common requests; returns the milliseconds of each. */
async function others(url: string, until: () => boolean): Promise<{ ms: number[]; refused: number }> {
  const ms: number[] = [];
  let refused = 0;
  for (let i = 0; !until(); i++) {
    const began = performance.now();
    const answer = await fetch(`${url}${['/fpga', '/fpga/1/details', '/jobs?limit=20'][i % 3]}`);
    await answer.arrayBuffer();
    ms.push(performance.now() - began);
    if (answer.status !== 200) refused++;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { ms, refused };
}

const during = (ms: number) => {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
};

/** Addresses with large answers, made on a bench that is new: those of one kind, or one of each. */
async function largeAnswers(bench: BenchProcess, what: Unread): Promise<string[]> {
  const source = `// lines-60000\n${'// a long source\n'.repeat(60_000)}`;
  const job = `/fpga/0/jobs/${await bench.build(0, source)}`;
  const run = async (json: unknown): Promise<string> => {
    const answer = await fetch(`${bench.url}/fpga/0/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    return `/fpga/0/jobs/${((await answer.json()) as { job_id: string }).job_id}`;
  };
  const made: Record<Exclude<Unread, 'mixed'>, () => string | Promise<string>> = {
    log: () => `${job}/logs`,
    follow: () => `${job}/logs?follow=1`,
    events: () => '/events',
    source: () => `${job}/source`,
    result: async () => {
      const long = await run({ op: 2, address: 0, count: 65_536 });
      await (await fetch(`${bench.url}${long}?wait=20`)).arrayBuffer();
      return `${long}/result`;
    },
    jobs: async () => {
      for (let i = 0; i < 400; i++) await run({ op: 2, address: 0 });
      return '/jobs?limit=10000';
    },
    openapi: () => '/openapi.json',
  };
  if (what !== 'mixed') return [await made[what]()];
  const all: string[] = [];
  for (const one of Object.values(made)) all.push(await one());
  return all;
}

/** A thousand callers request something large and read nothing: the cost for the service and for others. */
export async function slowReaders({ readers, what, forMs }: SlowReadersOptions): Promise<SlowReadersFigures> {
  const bench = await BenchProcess.start();
  const sockets: net.Socket[] = [];
  try {
    const asked = await largeAnswers(bench, what);
    const before = await others(bench.url, during(Math.min(forMs, 3_000)));
    const start = await bench.memory();
    const { hostname, port, host } = new URL(bench.url);

    const end = during(forMs);
    const measured = others(bench.url, end);
    for (let i = 0; i < readers; i++) {
      const socket = net.connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.pause();
      socket.write(`GET ${asked[i % asked.length]} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      sockets.push(socket);
      if (i % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    let resident = 0;
    while (!end()) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      resident = Math.max(resident, (await bench.resident()) - start.resident);
    }
    const { ms, refused } = await measured;
    const held = (await bench.memory()).held - start.held;
    return {
      readers,
      what,
      residentMoreMiB: mebibytes(resident),
      heldMoreMiB: mebibytes(held),
      p99BeforeMs: Math.round(quantile(before.ms, 0.99) * 10) / 10,
      p99DuringMs: Math.round(quantile(ms, 0.99) * 10) / 10,
      othersRefused: refused,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await bench.stop();
  }
}
