import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Prefix } from './prefix.ts';

/** Output of a program in a console, and its exit code. */
interface InConsole {
  code: number | null;
  output: string;
}

/** Milliseconds between what was waited for and Ctrl+C. */
const PAUSE_MS = 1000;

/**
 * Runs Node in a console, which is a pseudo-terminal, and presses Ctrl+C a moment after it printed `ready`.
 */
export async function pressCtrlC(prefix: Prefix, args: readonly string[], ready: string): Promise<InConsole> {
  const { args: words, env } = prefix.command(args);
  const line = `exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const terminal = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: prefix.project,
    env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  let answered = 0;
  let pressed = false;
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    // Wine's console requests the cursor's position, maybe in two pieces, and waits for the answer.
    for (const requests = output.split('\x1b[6n').length - 1; answered < requests; answered++)
      terminal.stdin.write('\x1b[1;1R');
    if (!pressed && output.includes(ready)) {
      pressed = true;
      setTimeout(() => terminal.stdin.write('\x03'), PAUSE_MS);
    }
  });
  const [code] = (await once(terminal, 'exit')) as [number | null];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  return { code, output: output.replace(/\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07]*\x07/g, '') };
}
