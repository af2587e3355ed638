import type { Finding } from '../contract/boards.ts';
import { findDataFolder } from '../data-folder.ts';
import { parse, words } from './usage.ts';

const MARKS: Record<Finding['status'], string> = {
  ok: 'ok     ',
  warning: 'warning',
  problem: 'PROBLEM',
  skipped: 'skipped',
};

/** Looks for what keeps boards and tools from working; 1 when there is a problem. */
export async function doctor(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, {
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  words(positionals, []);
  const { runDoctor } = await import('../boards/doctor/index.ts');
  const findings = await runDoctor({ dataDir: findDataFolder(values.data).folder });
  if (values.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else
    for (const { title, status, message, remedy } of findings) {
      process.stdout.write(`${MARKS[status]}  ${title}: ${message}\n`);
      if (remedy) for (const line of remedy.split('\n')) process.stdout.write(`         ${line}\n`);
    }
  return findings.some(({ status }) => status === 'problem') ? 1 : 0;
}
