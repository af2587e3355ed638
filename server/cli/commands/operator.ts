import { writeFile } from 'node:fs/promises';
import type { AuditQuery } from '../../contract/audit.ts';
import { systemReason } from '../../store/filesystem.ts';
import { print, printJson, tell } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { type GivingWay, LEAST_TIME, table } from '../table.ts';
import { CommandError, EXIT, nodeOf, numberOf } from '../usage.ts';

/** `support [FILE]`: what somebody needs to help with a bench, as a zip file. */
export async function support(file: string, options: ServiceOptions): Promise<number> {
  const bundle = await withService({ ...options, operator: true }, (client) => client.makeReport());
  if (file === '-') {
    process.stdout.write(bundle);
    return EXIT.done;
  }
  await writeFile(file, bundle).catch((error: unknown) => {
    throw new CommandError(`${file} cannot be written: ${systemReason(error)}.`, { cause: error });
  });
  if (options.json) printJson({ file, bytes: bundle.length });
  else print(file);
  tell('Look through job-logs/ in it before you pass it on: designs may be quoted there.');
  return EXIT.done;
}

const AUDIT_GIVES: readonly GivingWay[] = [
  { column: 5, least: 12 },
  { column: 0, least: LEAST_TIME },
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

/** `audit`: who did what, newest first; --verify follows the chain of the whole trail. */
export async function audit(options: AuditOptions): Promise<number> {
  const operator = { ...options, operator: true };
  if (options.verify) {
    const chain = await withService(operator, (client) => client.verifyAudit());
    if (options.json) printJson(chain);
    else print(chain.intact ? `Whole, entries ${chain.first} to ${chain.last}.` : (chain.problem ?? ''));
    return chain.intact ? EXIT.done : EXIT.failed;
  }
  const query = {
    limit: numberOf(options.limit, '--limit', 1000),
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    // The service knows the actions; it names them where one is none of them.
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
