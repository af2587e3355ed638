import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '../../server/contract/client/client.ts';

export interface Memory {
  /** Resident set of the process, bytes. */
  resident: number;
  /** Reachable memory after a collection, bytes. */
  held: number;
}

/** A bench in a process of its own; see bench-child.ts. */
export class BenchProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(host = '127.0.0.1'): Promise<BenchProcess> {
    const child = fork('tests/support/run-typescript.mjs', ['tests/soak/bench-child.ts', host], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new BenchProcess(child, url);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resident set of the process, bytes. */
  async resident(): Promise<number> {
    return (await this.#ask('resident')) as number;
  }

  /** The same and what is referred to, after a collection that takes a moment. */
  async memory(): Promise<Memory> {
    return (await this.#ask('memory')) as Memory;
  }

  async #ask(question: string): Promise<unknown> {
    const answer = once(this.#child, 'message');
    this.#child.send(question);
    return (await answer)[0];
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.send('end');
    await ended;
  }

  /** Submits a source and waits for the end of its build. */
  async build(fpga_id: number, source: string): Promise<string> {
    const client = createClient({ base: this.url });
    const file = { name: 'design.v', contents: source };
    return (await client.jobEnded(await client.submitDesign({ fpga_id, body: { file } }))).job_id;
  }
}
