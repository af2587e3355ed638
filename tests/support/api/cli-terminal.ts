import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { distPath } from '../../../server/paths.ts';

export const hasScript = spawnSync('script', ['--version']).status === 0;

/** The command on a pseudo terminal of util-linux's `script`; `screen` is what a person would see. */
export class Terminal {
  screen = '';
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;

  /** `columns` is the terminal's width; without it the terminal does not say how wide it is. */
  constructor(environment: Record<string, string>, args: readonly string[], columns?: number) {
    const command = [process.execPath, distPath('server', 'cli.js'), ...args].map((word) => `'${word}'`);
    const width = columns === undefined ? '' : `stty cols ${columns}; exec `;
    this.child = spawn('script', ['-qefc', `${width}${command.join(' ')}`, '/dev/null'], {
      env: { ...process.env, ...environment },
    });
    this.child.stdout?.on('data', (text) => {
      this.screen += text;
    });
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
  }

  async asked(question: string): Promise<void> {
    await expect.poll(() => this.screen, { interval: 10 }).toContain(question);
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }
}
