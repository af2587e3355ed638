import { writeFile } from 'node:fs/promises';
import { systemReason } from '../../store/filesystem.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { CommandError, EXIT } from '../usage.ts';

/** The command `support`: the support bundle. */
export function declareSupport(line: CommandLine): void {
  line.asking(
    'support [FILE]',
    'write a report to attach to an issue',
    'wishbench support wishbench-support.zip',
    support,
  );
}

/** `support [FILE]`: writes the support bundle as a zip file. */
async function support(given: string | undefined, options: ServiceOptions): Promise<number> {
  const file = given ?? 'wishbench-support.zip';
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
  printNotice('Read its job-logs/ before you pass it on: they may quote designs.');
  return EXIT.done;
}
