// The command line of `wishbench`: all commands, in the groups of the help.
import { CommandLine } from './command-line.ts';
import { declareAudit } from './commands/audit.ts';
import { declareBackup } from './commands/backup.ts';
import { declareBenches } from './commands/benches.ts';
import { declareBuilds } from './commands/builds.ts';
import { declareCheckBoard } from './commands/check-board.ts';
import { declareCompletion } from './commands/completion.ts';
import { declareControl } from './commands/control.ts';
import { declareCourses } from './commands/course.ts';
import { declareDemo } from './commands/demo.ts';
import { declareDesigns } from './commands/designs.ts';
import { declareDoctor } from './commands/doctor.ts';
import { declareEvents } from './commands/events.ts';
import { declareJobs } from './commands/jobs.ts';
import { declareKeys } from './commands/keys.ts';
import { declareLogin } from './commands/login.ts';
import { declareMap } from './commands/map.ts';
import { declareNodes } from './commands/nodes.ts';
import { declarePins } from './commands/pins.ts';
import { declarePoll } from './commands/poll.ts';
import { declarePrepare } from './commands/prepare.ts';
import { declareReport } from './commands/report.ts';
import { declareScript } from './commands/script.ts';
import { declareServe } from './commands/serve.ts';
import { declareSignals } from './commands/signals.ts';
import { declareStream } from './commands/stream.ts';
import { declareSubmit } from './commands/submit.ts';
import { declareSupport } from './commands/support.ts';
import { declareWatch } from './commands/watch.ts';
import { declareWords } from './commands/words.ts';
import { declareWorker } from './commands/worker.ts';

/** Groups of the help with their commands. Each file of `commands/` declares commands and implements them. */
const GROUPS: Record<string, ((line: CommandLine) => void)[]> = {
  Nodes: [declareNodes, declareSubmit, declareWatch, declareControl],
  Jobs: [declareJobs, declareReport],
  'Designs and scripts': [declareDesigns, declareMap, declareScript],
  Courses: [declareCourses],
  Registers: [declareWords, declarePins, declarePoll, declareStream],
  'Signals of the running design': [declareSignals],
  'Benches and keys': [declareLogin, declareBenches, declareKeys],
  'The bench': [
    declareEvents,
    declareServe,
    declareDemo,
    declarePrepare,
    declareDoctor,
    declareCheckBoard,
    declareBackup,
    declareAudit,
    declareSupport,
    declareBuilds,
    declareWorker,
  ],
  Shell: [declareCompletion],
};

export function createCommandLine(version: string): CommandLine {
  const line = new CommandLine(version);
  for (const [group, commands] of Object.entries(GROUPS)) {
    line.program.commandsGroup(`${group}:`);
    for (const declare of commands) declare(line);
  }
  return line;
}
