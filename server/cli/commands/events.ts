import { EVENT_TYPES } from '../../contract/events/event-types.ts';
import type { LiveEvent } from '../../contract/events/events.ts';
import { plural } from '../../text.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJsonLine, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { EXIT, UsageError } from '../usage.ts';

const TYPES = Object.keys(EVENT_TYPES);

/** The command `events`: every change of the bench. */
export function declareEvents(line: CommandLine): void {
  line
    .asking(
      'events',
      'print every change, live',
      'wishbench events --type job,node --json | jq .job.status',
      events,
    )
    .option('--type <TYPE,…>', `only these: ${TYPES.join(', ')}`);
}

function describe(event: LiveEvent): string {
  switch (event.type) {
    case 'snapshot':
      return `${plural(event.nodes.length, 'node')}, ${plural(event.jobs.length, 'job')}, version ${event.status.version}`;
    case 'node':
      return `node ${event.node.fpga_id} ${event.node.state} ${event.node.session?.owner ?? ''}`.trimEnd();
    case 'job': {
      const { job_id, fpga_id, type, status, stage } = event.job;
      return `node ${fpga_id} job ${job_id} ${type} ${status} ${stage ?? ''}`.trimEnd();
    }
    case 'job_removed':
      return `node ${event.fpga_id} job ${event.job_id} removed`;
    case 'unplaced_job':
      return `job ${event.job.job_id} waits for a node`;
    case 'unplaced_job_removed':
      return `job ${event.job_id} has a node or was cancelled`;
    case 'log':
      return `node ${event.fpga_id} ${event.text.trimEnd()}`;
    case 'board':
      return `slot ${event.board.slot} ${event.board.name} ${event.board.present ? 'present' : 'away'}`;
    case 'activity': {
      const { fpga_id, kind, by, owner, to } = event.entry;
      const where = fpga_id === null ? 'job' : `node ${fpga_id}`;
      const whose = owner === null ? '' : ` of ${owner}`;
      return `${where} ${kind}${by === null ? '' : ` by ${by}`}${whose}${to === null ? '' : ` to ${to}`}`;
    }
    case 'pins': {
      const { fpga_id, pins } = event;
      return `node ${fpga_id} ${pins.map(({ name, value }) => `${name}=${value}`).join(' ')}`.trimEnd();
    }
    case 'terminal':
      return `node ${event.fpga_id} terminal ${JSON.stringify(event.text)}`;
    case 'capture':
      return `node ${event.fpga_id} capture ${event.capture_id} ${event.triggered && event.state === 'running' ? 'triggered' : event.state}`;
    case 'bench': {
      const { name, state, idle } = event.bench;
      return `bench ${name} ${state}${idle === null ? '' : `, ${idle} idle`}`;
    }
    case 'bench_removed':
      return `bench ${event.name} removed`;
    case 'course':
      return `course ${event.course_id} changed`;
    case 'status':
      return `${plural(event.status.clients, 'client')}, ${event.status.builds.busy} of ${plural(event.status.builds.total, 'build')}`;
    case 'heartbeat':
      return event.time;
  }
}

/** `events`: every change, one per line, until Ctrl-C; reconnects after a loss. */
async function events(options: ServiceOptions & { type?: string }): Promise<number> {
  const known: readonly string[] = TYPES;
  const wanted = options.type?.split(',');
  const unknown = wanted?.find((word) => !known.includes(word));
  if (unknown !== undefined) throw new UsageError(`--type must be of ${TYPES.join(', ')}, not “${unknown}”.`);
  return withService(options, async (client) => {
    // A refusal or a missing service ends the command; only a later loss of the connection is waited for.
    await client.getStatus();
    let lost = false;
    const { EventStream } = await import('../../contract/client/event-stream.ts');
    const stream = new EventStream({
      client: client.options,
      onEvents(arrived) {
        for (const event of arrived) {
          if (wanted && !wanted.includes(event.type)) continue;
          if (options.json) printJsonLine(event);
          else if (event.type !== 'heartbeat' || wanted)
            for (const line of describe(event).split('\n')) print(`${event.type.padEnd(11)}  ${line}`);
        }
      },
      onConnection(connection) {
        if (connection.kind === 'waiting' && !lost) printNotice('Connection lost; reconnecting.');
        lost = connection.kind === 'waiting';
      },
    });
    return new Promise<number>((resolve) => {
      process.once('SIGINT', () => {
        stream.close();
        resolve(EXIT.interrupted);
      });
    });
  });
}
