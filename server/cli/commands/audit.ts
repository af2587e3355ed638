import type { AuditQuery } from '../../contract/bench/audit.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { MIN_TIME_LENGTH, type ShrinkingColumn, table } from '../table.ts';
import { EXIT, nodeOf, numberOf } from '../usage.ts';

/** The command `audit`: the audit log. */
export function declareAudit(line: CommandLine): void {
  line
    .asking(
      'audit',
      'who did what, newest first (operator)',
      'wishbench audit --owner ci --action submit,run\nwishbench audit --verify',
      audit,
    )
    .option('--owner <NAME>', 'only entries of this owner')
    .option('--action <ACTION,…>', 'only these actions')
    .option('--node <NODE>', 'only entries of this node')
    .option('--since <TIME>', 'only entries from this time on, such as 2026-01-31T00:00:00Z')
    .option('--limit <N>', 'maximum number', '100')
    .option('--verify', 'verify the whole log instead');
}

const AUDIT_GIVES: readonly ShrinkingColumn[] = [
  { column: 5, least: 12 },
  { column: 0, least: MIN_TIME_LENGTH },
  { column: 4, least: 12 },
  { column: 1, least: 8 },
];

interface AuditOptions extends ServiceOptions {
  owner?: string;
  action?: string;
  node?: string;
  since?: string;
  limit: string;
  verify?: boolean;
}

/** `audit`: entries, newest first; --verify checks the chain of the whole log. */
async function audit(options: AuditOptions): Promise<number> {
  const operator = { ...options, operator: true };
  if (options.verify) {
    const chain = await withService(operator, (client) => client.verifyAudit());
    if (options.json) printJson(chain);
    else print(chain.intact ? `Intact, entries ${chain.first} to ${chain.last}.` : (chain.problem ?? ''));
    return chain.intact ? EXIT.done : EXIT.failed;
  }
  const query = {
    limit: numberOf(options.limit, '--limit', 1000),
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    // The service checks the actions and lists them after an error.
    ...(options.action === undefined
      ? {}
      : { action: options.action.split(',') as AuditQuery['action'] & {} }),
    ...(options.node === undefined ? {} : { fpga_id: nodeOf(options.node) }),
    ...(options.since === undefined ? {} : { since: options.since }),
  };
  const page = await withService(operator, (client) => client.getAudit(query));
  if (options.json) printJson(page);
  else
    process.stdout.write(
      table(
        page.entries.map(({ time, owner, action, fpga_id, done, code, details }) => [
          time,
          owner,
          action,
          fpga_id === null ? '' : `node ${fpga_id}`,
          done ? 'done' : `refused: ${code ?? ''}`,
          Object.entries(details)
            .map(([name, value]) => `${name}=${value}`)
            .join(' '),
        ]),
        AUDIT_GIVES,
      ),
    );
  return EXIT.done;
}
