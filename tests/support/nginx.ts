import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './free-ports.ts';
import { temporaryFolder } from './temporary.ts';

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** Folders that nginx keeps bodies and answers in while they are on their way. */
const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** A real nginx on loopback, with a folder of its own. */
export class Nginx {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** @param locations the contents of `server { … }` */
  static async start(locations: string): Promise<Nginx> {
    const folder = temporaryFolder('nginx');
    const port = await freePort();
    const file = path.join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr notice;
events {}
http {
  access_log off;
  ${FOLDERS.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server { listen 127.0.0.1:${port}; ${locations} }
}
`,
    );
    const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk) => {
        said += chunk;
        // It checks its files only after it listens.
        if (said.includes('getrlimit(')) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`nginx ended: ${said}`)));
    });
    return new Nginx(`http://127.0.0.1:${port}`, child);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}
