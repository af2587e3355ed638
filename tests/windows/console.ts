import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Prefix } from './prefix.ts';

/** Output of a program in a console, and its exit code. */
interface InConsole {
  code: number | null;
  output: string;
}

/** Milliseconds between what was waited for and Ctrl+C. */
const PAUSE_MS = 1000;

/** Milliseconds between two looks at the processes. */
const LOOK_MS = 100;

/** Whether the tools of the service have their process. */
function toolsRun(): boolean {
  return readdirSync('/proc').some((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('\\tools-process.js');
    } catch {
      return false;
    }
  });
}

/**
 * Runs Node in a console, which is a pseudo-terminal, and presses Ctrl+C a moment after it printed `ready`.
 * @param options.tools also waits for the process of the tools. Wine handles Ctrl+C with a new thread, and a program
 * in the middle of `fork` holds the lock that this takes: it would wait for itself.
 */
export async function pressCtrlC(
  prefix: Prefix,
  args: readonly string[],
  ready: string,
  options: { tools?: boolean } = {},
): Promise<InConsole> {
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
  let look: NodeJS.Timeout | undefined;
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    // Wine's console requests the cursor's position, maybe in two pieces, and waits for the answer.
    for (const requests = output.split('\x1b[6n').length - 1; answered < requests; answered++)
      terminal.stdin.write('\x1b[1;1R');
    if (!pressed && output.includes(ready)) {
      pressed = true;
      look = setInterval(() => {
        if (options.tools && !toolsRun()) return;
        clearInterval(look);
        setTimeout(() => terminal.stdin.write('\x03'), PAUSE_MS);
      }, LOOK_MS);
    }
  });
  const [code] = (await once(terminal, 'exit')) as [number | null];
  clearInterval(look);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  return { code, output: output.replace(/\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07]*\x07/g, '') };
}
