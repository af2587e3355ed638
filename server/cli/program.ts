import { CommandLine } from './command-line.ts';
import { declareBench } from './declarations/bench.ts';
import { declareCallers } from './declarations/callers.ts';
import { declareDesigns } from './declarations/designs.ts';
import { declareFarm } from './declarations/farm.ts';
import { declareJobs } from './declarations/jobs.ts';
import { declareKeptDesigns } from './declarations/kept-designs.ts';
import { declareSignals } from './declarations/signals.ts';
import { declareWords } from './declarations/words.ts';

/** The whole command line, nothing of it loaded yet but the names. */
export function createCommandLine(version: string): CommandLine {
  const line = new CommandLine(version);
  declareDesigns(line);
  declareJobs(line);
  declareKeptDesigns(line);
  declareWords(line);
  declareSignals(line);
  declareCallers(line);
  declareBench(line);
  declareFarm(line);
  return line;
}
