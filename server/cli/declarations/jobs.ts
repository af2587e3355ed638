import { JOB_STATUS_NAMES, JOB_TYPE_NAMES } from '../choices.ts';
import type { CommandLine } from '../command-line.ts';

/** Jobs, and what they leave behind. */
export function declareJobs(line: CommandLine): void {
  line.program.commandsGroup('Jobs:');
  const load = () => import('../commands/jobs.ts');
  line
    .asking(
      'jobs [NODE]',
      'list jobs, newest first; without NODE those that are yours',
      'wishbench jobs --all --status queued,running\nwishbench jobs 3',
      async () => (await load()).jobs,
    )
    .option('--status <STATUS,…>', `only these: ${JOB_STATUS_NAMES.join(', ')}`)
    .option('--type <TYPE,…>', `only these: ${JOB_TYPE_NAMES.join(', ')}`)
    .option('--owner <NAME>', 'only those of this owner')
    .option('--all', 'those of all owners')
    .option('--limit <N>', 'most jobs', '100');
  line
    .asking('job <WHICH>', 'show a job', 'wishbench job 3 --wait', async () => (await load()).job)
    .option('--wait', 'wait until it has ended; exit 1 unless it completes');
  line.asking(
    'cancel <WHICH>',
    'cancel a queued job',
    'wishbench cancel 0e8b8f4c-7d8e-4a53-9a43-4f6a4d2f5c11',
    async () => (await load()).cancel,
  );
  line.asking('stop <WHICH>', 'stop a build that runs', 'wishbench stop 3', async () => (await load()).stop);
  line
    .asking('logs <WHICH>', 'print the log of a job', 'wishbench logs 3 -f', async () => (await load()).logs)
    .option('-f, --follow', 'go on until the job ends');
  line
    .asking(
      'report <WHICH>',
      'utilisation, timing and seconds of a build',
      'wishbench report 3 --against before',
      async () => (await import('../commands/report.ts')).report,
    )
    .option('--against <WHICH>', 'beside those of another build: a job, a node, or “before”');
  line.asking(
    'bitstream <WHICH> [FILE]',
    'write the file that was flashed',
    'wishbench bitstream 3 echo.bin',
    async () => (await load()).bitstream,
  );
}
