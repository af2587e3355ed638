import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Finding } from '../../contract/boards/boards.ts';
import type { CommandLine } from '../command-line.ts';

/** The command `doctor`: checks boards and tools. */
export function declareDoctor(line: CommandLine): void {
  line
    .command('doctor', 'find problems with boards and tools', 'wishbench doctor', doctor)
    .option('--data <DIR>', 'the data directory')
    .option('--json', 'print JSON');
}

const MARKS: Record<Finding['status'], string> = {
  ok: 'ok     ',
  warning: 'warning',
  problem: 'PROBLEM',
  skipped: 'skipped',
};

/** The build queue in the settings of a data directory; null without one, or if they cannot be read. */
async function queueOf(folder: string): Promise<string | null> {
  const { BenchSettings } = await import('../../settings.ts');
  try {
    const settings: unknown = JSON.parse(await readFile(path.join(folder, 'settings.json'), 'utf8'));
    return new BenchSettings({ read: () => settings, write: async () => {} }).current.toolchain.queue;
  } catch {
    return null;
  }
}

/** Checks what boards and tools need; 1 if there is a problem. */
async function doctor(values: { data?: string; json?: boolean }): Promise<number> {
  const [{ findDataFolder }, { runDoctor }, { checkSandbox }, { neededByFamilies }] = await Promise.all([
    import('../../data-folder.ts'),
    import('../../boards/doctor/index.ts'),
    import('../../toolchain/engines/sandbox/sandbox-check.ts'),
    import('../../toolchain/engines/installed/tools.ts'),
  ]);
  const { folder } = findDataFolder(values.data);
  const queue = await queueOf(folder);
  const findings = await Promise.all([
    runDoctor({ dataDir: folder, families: neededByFamilies() }),
    checkSandbox(systemClock),
    queue === null
      ? []
      : import('../../toolchain/farm/queue-check.ts').then(({ checkQueue }) =>
          checkQueue(queue, systemClock),
        ),
  ]).then((parts) => parts.flat());
  if (values.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else
    for (const { title, status, message, remedy } of findings) {
      process.stdout.write(`${MARKS[status]}  ${title}: ${message}\n`);
      if (remedy) for (const line of remedy.split('\n')) process.stdout.write(`         ${line}\n`);
    }
  return findings.some(({ status }) => status === 'problem') ? 1 : 0;
}
