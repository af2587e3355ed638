import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-ports.ts';

/** Why tests with Redis are skipped; null where there is one. */
export const noRedis: string | null =
  spawnSync('redis-server', ['--version']).status === 0 ? null : 'redis-server is not installed';

/** A real Redis on loopback with a folder of its own. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string, args: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#args = args;
  }

  /** @param args further options, such as `--appendonly yes`; with TLS options it listens only for TLS */
  static async start(args: readonly string[] = []): Promise<RedisServer> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-redis-'));
    const server = new RedisServer(await freePort(), folder, args);
    await server.resume();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops all answers while connections stay: as with a pulled cable. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Starts it again with its data on disk. */
  async resume(): Promise<void> {
    const child = spawn(
      'redis-server',
      [
        ...(this.#args.includes('--tls-cert-file') ? ['--port', '0', '--tls-port'] : ['--port']),
        String(this.port),
        '--bind',
        '127.0.0.1',
        '--dir',
        this.#folder,
        '--save',
        '',
        ...this.#args,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text) => {
        said += text;
        if (said.includes('Ready to accept connections')) resolve();
      });
      child.once('exit', () => reject(new Error(`redis-server did not start:\n${said}`)));
    });
    this.#child = child;
  }

  /** Calls `work` with a connection of its own. */
  async with<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url);
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
