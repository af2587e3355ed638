import { systemClock } from '../../clock.ts';
import type { Finding } from '../../contract/boards.ts';
import { findDataFolder } from '../../data-folder.ts';

const MARKS: Record<Finding['status'], string> = {
  ok: 'ok     ',
  warning: 'warning',
  problem: 'PROBLEM',
  skipped: 'skipped',
};

/** Looks for what keeps boards and tools from working; 1 when there is a problem. */
export async function doctor(values: { data?: string; json?: boolean }): Promise<number> {
  const [{ runDoctor }, { checkSandbox }] = await Promise.all([
    import('../../boards/doctor/index.ts'),
    import('../../toolchain/sandbox/sandbox-check.ts'),
  ]);
  const findings = await Promise.all([
    runDoctor({ dataDir: findDataFolder(values.data).folder }),
    checkSandbox(systemClock),
  ]).then((parts) => parts.flat());
  if (values.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else
    for (const { title, status, message, remedy } of findings) {
      process.stdout.write(`${MARKS[status]}  ${title}: ${message}\n`);
      if (remedy) for (const line of remedy.split('\n')) process.stdout.write(`         ${line}\n`);
    }
  return findings.some(({ status }) => status === 'problem') ? 1 : 0;
}
