import { dialog, type MessageBoxOptions, shell } from 'electron';
import { type Bench, createBench } from '../server/bench.ts';
import { realToolchain } from '../server/bench-parts.ts';
import type { DataFolder } from '../server/data-folder.ts';
import { BenchError } from '../server/errors/bench-error.ts';
import type { Logger, RecentLines } from '../server/log.ts';
import { forkTools } from './fork-tools.ts';

interface HostOptions {
  data: DataFolder;
  logger: Logger;
  recent: RecentLines;
  operatorToken: string;
}

type Answer = 'retry' | 'free-port' | 'open-folder' | 'quit';

/** The dialog for a bench that does not start: buttons and their actions, the safest first. */
function startProblem(error: unknown): { question: MessageBoxOptions; answers: Answer[] } {
  const code = error instanceof BenchError ? error.code : '';
  const what = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof BenchError ? error.remedy : 'The log has the details.';
  const choices: [string, Answer][] =
    code === 'port_in_use'
      ? [
          ['Use a free port', 'free-port'],
          ['Try again', 'retry'],
          ['Quit', 'quit'],
        ]
      : code.startsWith('store_')
        ? [
            ['Try again', 'retry'],
            ['Open data folder', 'open-folder'],
            ['Quit', 'quit'],
          ]
        : [
            ['Try again', 'retry'],
            ['Quit', 'quit'],
          ];
  return {
    question: {
      type: 'error',
      title: 'Wishbench did not start',
      message: what,
      detail: remedy,
      buttons: choices.map(([label]) => label),
      defaultId: 0,
      cancelId: choices.length - 1,
      noLink: true,
    },
    answers: choices.map(([, answer]) => answer),
  };
}

/** Starts the service in this process; asks the user when it can't start. Null: the user quits. */
export async function hostService({
  data,
  logger,
  recent,
  operatorToken,
}: HostOptions): Promise<Bench | null> {
  const { folder, notices } = data;
  const wanted = process.env['WISHBENCH_PORT'];
  let port = wanted === undefined ? undefined : Number(wanted);
  for (;;) {
    try {
      return await createBench({
        dataDir: folder,
        notices,
        logger,
        recent,
        operatorToken,
        toolchain: (foundation) => realToolchain(foundation, forkTools),
        ...(port === undefined ? {} : { port }),
      });
    } catch (error) {
      logger.error({ err: error }, 'the service did not start');
      const { question, answers } = startProblem(error);
      const { response } = await dialog.showMessageBox(question);
      switch (answers[response] ?? 'quit') {
        case 'retry':
          break;
        case 'free-port':
          port = 0;
          break;
        case 'open-folder':
          await shell.openPath(folder);
          break;
        case 'quit':
          return null;
      }
    }
  }
}
