import { strToU8 } from 'fflate';
import { VERSION } from '../version.ts';
import { zipOf } from '../zip.ts';
import { redact } from './redact.ts';
import { systemFacts } from './system-facts.ts';

/** The contents of a bundle, from the parts of the bench. */
export interface BundleParts {
  now: number;
  /** Name → contents of `name.json`, without secrets. */
  answers: Readonly<Record<string, unknown>>;
  /** The newest lines of the service's log, JSON each. */
  log: readonly string[];
  /** Name → the end of a job's log. */
  jobLogs: Readonly<Record<string, Uint8Array>>;
}

const README = `A report on one Wishbench service.

facts.txt       version, system, memory
*.json          what the service answers: status, settings, nodes, boards, doctor, the newest jobs, notices
log.jsonl       the newest lines of the service's log
job-logs/       the ends of the logs of the newest jobs that failed

Keys, tokens, names of people and the name of the home folder are removed from everything except job-logs/, which may
quote designs: read them before you pass this on.
`;

function logLine(line: string): string {
  try {
    return JSON.stringify(redact(JSON.parse(line)));
  } catch {
    return JSON.stringify({ msg: 'a line that is not JSON was left out' });
  }
}

/** Makes a zip file to attach to an issue. */
export function supportBundle({ now, answers, log, jobLogs }: BundleParts): Promise<Uint8Array> {
  const files: Record<string, Uint8Array> = {
    'README.txt': strToU8(README),
    'facts.txt': strToU8(`${systemFacts(VERSION, now).join('\n')}\n`),
    'log.jsonl': strToU8(log.map((line) => `${logLine(line)}\n`).join('')),
  };
  for (const [name, value] of Object.entries(answers))
    files[`${name}.json`] = strToU8(`${JSON.stringify(redact(value), null, 2)}\n`);
  for (const [name, bytes] of Object.entries(jobLogs)) files[`job-logs/${name}.log`] = bytes;
  return zipOf(files, now);
}
