import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BoardCheck, CheckStep } from '../../contract/boards/board-checks.ts';
import type { Client } from '../../contract/client/client.ts';
import { sentences } from '../../contract/sentences.ts';
import type { CommandLine } from '../command-line.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { CommandError, nodeOf } from '../usage.ts';

/** The command `check-board`. */
export function declareCheckBoard(line: CommandLine): void {
  line
    .asking(
      'check-board [NODE]',
      'check the board in a slot, by default the one on USB',
      'wishbench check-board 2 --report check.md',
      checkBoard,
    )
    .option('--report <FILE>', 'file of the report, to attach to an issue');
}

/** Poll interval of a running check, ms. */
const LOOK_MS = 150;

const MARKS: Record<CheckStep['state'], string> = {
  waiting: '…',
  running: '…',
  passed: '✓',
  warning: '!',
  failed: '✗',
  skipped: '–',
};

const print = (line: string) => process.stdout.write(`${line}\n`);

/** The one board on the USB. @throws CommandError if there is none, or more than one */
async function onlyBoard(client: Client): Promise<number> {
  const { boards, problems } = await client.listBoards();
  const attached = boards.filter(({ kind, present }) => kind === 'usb' && present);
  const slots = attached.flatMap(({ slot }) => (slot === null ? [] : [slot]));
  const [only, ...others] = slots;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new CommandError(`Boards are in the slots ${slots.join(', ')}. Give NODE to choose one.`);
  const [free] = attached;
  if (free)
    throw new CommandError(
      `${free.name} (${free.id}) is attached and has no slot. Assign it to one on the Boards screen, then check it.`,
    );
  const [problem] = problems;
  throw new CommandError(
    problem
      ? sentences(problem.message, problem.remedy)
      : 'No board is attached. Plug one in, or give the NODE of a virtual board.',
  );
}

/** The result of a step in lines; indented ones have the reason and the remedy. */
function stepLines({ title, state, expected, happened, failure, milliseconds }: CheckStep): string[] {
  const took = milliseconds === null ? '' : ` (${(milliseconds / 1000).toFixed(2)} s)`;
  return [
    `${MARKS[state]} ${title}: ${happened ?? 'not run.'}${took}`,
    ...(failure ? [`    expected: ${expected}`, `    ${failure.error}: ${failure.remedy}`] : []),
  ];
}

const hasEndedStep = ({ state }: CheckStep): boolean => state !== 'waiting' && state !== 'running';

/** Follows a check to its end, and prints each step at its end, in order. */
async function watch(client: Client, fpga_id: number, quiet: boolean): Promise<BoardCheck> {
  let printed = 0;
  for (;;) {
    const check = await client.getBoardCheck({ fpga_id });
    if (!check) throw new CommandError(`The check of slot ${fpga_id} was removed. Start it again.`);
    for (const step of quiet ? [] : check.steps.slice(printed)) {
      if (!hasEndedStep(step)) break;
      for (const line of stepLines(step)) print(line);
      printed++;
    }
    if (check.state !== 'running') return check;
    // The timers of the clock keep no process alive, and nothing else does between two polls.
    await sleep(LOOK_MS);
  }
}

/** `check-board [NODE]`: checks the board in a slot and writes its report; 0 if every step passed. */
async function checkBoard(
  node: string | undefined,
  values: ServiceOptions & { report?: string },
): Promise<number> {
  const chosen = node === undefined ? null : nodeOf(node);
  const operator = { ...values, operator: true };
  return withService(operator, async (client) => {
    const fpga_id = chosen ?? (await onlyBoard(client));
    const { board } = await client.startBoardCheck({ fpga_id });
    if (!values.json) print(`Checking ${board.name} (${board.id}) in slot ${fpga_id}.`);
    // Ending the command ends the check; the node is idle before it returns.
    const cancel = () => void client.cancelBoardCheck({ fpga_id }).catch(() => {});
    process.once('SIGINT', cancel);
    const check = await watch(client, fpga_id, values.json === true);
    process.off('SIGINT', cancel);
    const day = check.started_at.slice(0, 10);
    const file = values.report ?? `wishbench-check-${board.definition ?? 'board'}-${day}.md`;
    const report = await client.getBoardCheckReport({ fpga_id });
    await writeFile(file, report).catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(`The report cannot be written to ${file} (${error.code}).`, { cause: error });
    });
    if (values.json) print(JSON.stringify(check, null, 2));
    else
      print(
        `\nThe check ${check.state === 'cancelled' ? 'was cancelled' : check.state}. Its report: ${file}`,
      );
    return check.state === 'passed' ? 0 : 1;
  });
}
