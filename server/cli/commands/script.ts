import type { Client } from '../../contract/client/client.ts';
import { send } from '../../contract/client/request.ts';
import type { Script, ScriptReport } from '../../contract/jobs/scripts.ts';
import { SCRIPT_FORMATS } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';
import { print, printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { readInput, writeOutput } from '../shared/files.ts';
import { whichBuild } from '../shared/which-job.ts';
import { CommandError, EXIT, nodeOf, UsageError } from '../usage.ts';

/** The command `script`: scripts of designs. */
export function declareScript(line: CommandLine): void {
  const script = line
    .group('script', 'run, record, keep and export scripts', 'wishbench script run 3 check.json')
    .usage('COMMAND [options]');
  line
    .asking(
      'run <NODE> [FILE]',
      'run a script, by default the one kept with the design',
      'wishbench script run 3 check.json',
      runScript,
      script,
    )
    .option('--design <DESIGN>', 'the script of this design');
  line
    .asking(
      'report <WHICH>',
      'show the result of the script after a build',
      'wishbench script report 3 --junit > report.xml',
      scriptReport,
      script,
    )
    .option('--junit', 'as JUnit XML, for CI servers');
  line.asking(
    'record <NODE>',
    'print the session as a script',
    'wishbench script record 3 > check.json',
    recordScript,
    script,
  );
  line
    .asking(
      'export <WHERE>',
      'export the script of a node or design as a program',
      'wishbench script export 3 --as py -o check.py',
      exportScript,
      script,
    )
    .addOption(choice('--as <LANGUAGE>', 'bash with curl, Python or TypeScript', SCRIPT_FORMATS, 'py'))
    .option('-o, --output <FILE>', 'output file', '-');
  line.asking(
    'show <DESIGN>',
    'print the script kept with a design',
    'wishbench script show echo-v-1a2b3c4d',
    showScript,
    script,
  );
  line.asking(
    'keep <DESIGN> <FILE>',
    'keep a script that runs on every build of a design',
    'wishbench script keep echo-v-1a2b3c4d check.json',
    keepScript,
    script,
  );
  line.asking(
    'remove <DESIGN>',
    'remove the script of a design',
    'wishbench script remove echo-v-1a2b3c4d',
    removeScript,
    script,
  );
}

/** Reads a script from a file: the script itself, or the output of `script record --json`. The service checks it. */
async function scriptIn(file: string): Promise<Script> {
  const text = (await readInput(file)).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null)
      return ('script' in value ? value.script : value) as Script;
  } catch {
    // The error is below.
  }
  throw new CommandError(
    `${file === '-' ? 'Standard input' : file} is not a script, which is a JSON object.`,
  );
}

/** Prints a step per line; exit code 1 if one failed or the script stopped early. */
function tellReport(report: ScriptReport, json = false): number {
  const { passed, failed, skipped, ms, stopped } = report;
  if (json) printJson(report);
  else {
    for (const { step, says, ok, error, got } of report.steps) {
      const found = got === null ? '' : ` got ${got.map((word) => `0x${word.toString(16)}`).join(' ')}`;
      const why = ok === false ? ` ${error?.message ?? ''}${found}` : '';
      print(`${ok === null ? '–' : ok ? '✓' : '✗'} ${step.map((at) => at + 1).join('.')} ${says}${why}`);
    }
    if (stopped) printNotice(stopped.message);
    printNotice(`${passed} passed, ${failed} failed, ${skipped} not run, in ${(ms / 1000).toFixed(2)} s.`);
  }
  return failed > 0 || stopped !== null ? EXIT.failed : EXIT.done;
}

interface RunOptions extends ServiceOptions {
  design?: string;
}

/** `script run NODE [FILE]`: runs a script on a node, by default that of a design or of the node's own. */
async function runScript(node: string, file: string | undefined, options: RunOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  if (file !== undefined && options.design !== undefined)
    throw new UsageError('Give FILE or --design, not both.');
  const body = {
    ...(file === undefined ? {} : { script: await scriptIn(file) }),
    ...(options.design === undefined ? {} : { design_id: options.design }),
  };
  const report = await withService(options, (client) => client.runScript({ fpga_id, body }));
  return tellReport(report, options.json);
}

/** `script report WHICH`: the result of a design's script after a build. */
async function scriptReport(word: string, options: ServiceOptions & { junit?: boolean }): Promise<number> {
  return withService(options, async (client) => {
    const which = await whichBuild(client, word);
    if (!options.junit) return tellReport(await client.getScriptReport(which), options.json);
    const answer = await send(client.options, 'getScriptReport', { ...which, format: 'junit' }, {});
    process.stdout.write(await answer.text());
    return EXIT.done;
  });
}

/** `script record NODE`: the transactions of the session as a script. */
async function recordScript(node: string, options: ServiceOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const recorded = await withService(options, (client) => client.getSessionScript({ fpga_id }));
  printJson(options.json ? recorded : recorded.script);
  if (recorded.skipped > 0)
    printNotice(
      `${recorded.skipped === 1 ? '1 transaction is' : `${recorded.skipped} transactions are`} not in the script.`,
    );
  return EXIT.done;
}

type ExportFormat = 'curl' | 'py' | 'ts';

/** `script export WHERE`: a node's session, or the script of a design, as a program. */
async function exportScript(
  where: string,
  options: ServiceOptions & { as: ExportFormat; output: string },
): Promise<number> {
  const format = options.as;
  const program = (client: Client) =>
    /^\d$/.test(where)
      ? client.exportSessionScript({ fpga_id: nodeOf(where), format })
      : client.exportDesignScript({ design_id: where, format });
  await writeOutput(options.output, await withService(options, program), options.json);
  return EXIT.done;
}

/** `script show DESIGN`: prints the script of a design. */
async function showScript(design_id: string, options: ServiceOptions): Promise<number> {
  const script = await withService(options, (client) => client.getDesignScript({ design_id }));
  if (!script)
    throw new CommandError(`The design ${design_id} has no script. “wishbench script keep” saves one.`);
  printJson(script);
  return EXIT.done;
}

/** `script keep DESIGN FILE`: saves a script with a design; it runs after every build. */
async function keepScript(design_id: string, file: string, options: ServiceOptions): Promise<number> {
  const body = await scriptIn(file);
  const saved = await withService(options, (client) => client.putDesignScript({ design_id, body }));
  if (options.json) printJson(saved);
  else printNotice(`Saved: it runs after every build of ${design_id}.`);
  return EXIT.done;
}

/** `script remove DESIGN`: removes the script of a design. */
async function removeScript(design_id: string, options: ServiceOptions): Promise<number> {
  await withService(options, (client) => client.deleteDesignScript({ design_id }));
  if (options.json) printJson({ design_id, removed: true });
  return EXIT.done;
}
