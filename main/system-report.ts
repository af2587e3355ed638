import type { App } from 'electron';
import { redact } from '../server/report/redact.ts';
import { systemFacts } from '../server/report/system-facts.ts';

/** Facts for a bug report, without secrets: no keys, no tokens, no names of people, no design. */
interface ReportParts {
  /** The data directory. */
  folder: string;
  /** The answers of GET /status and POST /doctor. */
  status: unknown;
  boards: unknown;
  doctor: unknown;
}

/** The system report as text. */
export function systemReport(
  app: Pick<App, 'getVersion' | 'isPackaged'>,
  parts: ReportParts,
  now: Date,
): string {
  const facts = [
    ...systemFacts(
      `${app.getVersion()} (${app.isPackaged ? 'packaged' : 'from the sources'})`,
      now.getTime(),
    ),
    `Data directory ${redact(parts.folder)}`,
  ];
  const section = (title: string, value: unknown) => `## ${title}\n${JSON.stringify(redact(value), null, 2)}`;
  return [
    ...facts,
    '',
    section('Service', parts.status),
    section('Boards', parts.boards),
    section('Doctor', parts.doctor),
    '',
  ].join('\n');
}
