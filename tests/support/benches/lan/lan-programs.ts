import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { distPath } from '../../../../server/paths.ts';
import type { LanHost } from './lab-lan.ts';

/** Reads requests, a line each, and writes their answers: what a script does that runs on that computer. */
const ASKER = `
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', async (line) => {
  const { id, url, method, headers, json, file } = JSON.parse(line);
  let body = json === undefined ? undefined : JSON.stringify(json);
  if (file) {
    body = new FormData();
    body.append('file', new Blob([file.contents]), file.name);
  }
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers: { ...type, ...headers }, body, signal: AbortSignal.timeout(20_000) })
    .then(async (got) => ({ status: got.status, text: await got.text() }))
    .catch((error) => ({ status: 0, text: String(error.cause ?? error) }));
  process.stdout.write(JSON.stringify({ id, ...answer }) + '\\n');
});`;

interface Asked {
  method?: string;
  json?: unknown;
  file?: { name: string; contents: string };
}

/** A caller on a computer of the LAN. */
class Caller {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: { status: number; text: string }) => void>();
  #asked = 0;

  constructor(host: LanHost) {
    this.#child = host.start([process.execPath, '-e', ASKER], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (!this.#child.stdout) throw new Error('no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const { id, ...answer } = JSON.parse(line) as { id: number; status: number; text: string };
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  ask(
    url: string,
    asked: Asked & { headers: Record<string, string> },
  ): Promise<{ status: number; text: string }> {
    const id = this.#asked++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin?.write(`${JSON.stringify({ id, url, ...asked })}\n`);
    });
  }
}

/** Resolves when a program has written this. @throws when it ends without */
function says(child: ChildProcess, text: string): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        said = (said + chunk).slice(-20_000);
        if (said.includes(text)) resolve();
      });
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${said}`)));
  });
}

const OPERATOR = 'the operator of the lab';

/** `wishbench serve` on a computer of the LAN, and its operator, who sits there. */
export class LanBench {
  readonly #caller: Caller;

  private constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** @param settings contents of its settings.json @param data its data directory, which is created */
  static async start(host: LanHost, data: string, settings: object): Promise<LanBench> {
    mkdirSync(data, { recursive: true });
    writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
    const command = [process.execPath, distPath('server', 'cli.js'), 'serve', '--data', data];
    const env = { ...process.env, WISHBENCH_OPERATOR_TOKEN: OPERATOR };
    await says(host.start(command, { stdio: ['ignore', 'pipe', 'pipe'], env }), 'wishbench listening on');
    return new LanBench(new Caller(host));
  }

  /** The bench's answer to its operator. @throws unless that is a success */
  async ask<T>(route: string, asked?: Asked): Promise<T> {
    const { status, text } = await this.#call(route, asked);
    if (status < 200 || status > 299) throw new Error(`${route}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** A job's log as it is now. */
  async log(node: number, job: string): Promise<string> {
    return (await this.#call(`/fpga/${node}/jobs/${job}/logs`)).text;
  }

  #call(route: string, asked: Asked = {}): Promise<{ status: number; text: string }> {
    const headers = { 'x-operator-token': OPERATOR };
    return this.#caller.ask(`http://127.0.0.1:8000${route}`, { ...asked, headers });
  }
}

/** A Redis with a password on a computer of the LAN. Returns its address, with the password. */
export async function startRedis(host: LanHost, folder: string): Promise<string> {
  const command = ['redis-server', '--bind', host.address, '--port', '6379', '--save', '', '--dir', folder];
  const child = host.start([...command, '--requirepass', 'of the lab'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await says(child, 'Ready to accept connections');
  return `redis://:of%20the%20lab@${host.address}:6379`;
}
