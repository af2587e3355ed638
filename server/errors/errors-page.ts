import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../paths.ts';
import { ERROR_AREAS } from './catalogue.ts';

const AREAS: Record<string, { title: string; about: string }> = {
  api: { title: 'Requests', about: 'What the service says before a node is asked, and of its own address.' },
  auth: { title: 'Callers', about: 'Keys, holders, the operator, origins and the identity provider.' },
  jobs: {
    title: 'Nodes and jobs',
    about: 'Refusals of the contract, and why a job failed or a node is in `error`.',
  },
  toolchain: {
    title: 'Designs and tools',
    about:
      'Why a build failed. They stand in `failure` of a job and in its log; POST /scan answers with them.',
  },
  boards: {
    title: 'Boards',
    about:
      'Finding, assigning, programming and talking to boards; `fabric_…` are what the virtual board refuses.',
  },
  signals: {
    title: 'Signals',
    about: 'Looking into the design that runs: its signals, captures of them, and the clock of its board.',
  },
  wishbone: { title: 'The link', about: 'Why the board could not be reached over its UART.' },
  benches: {
    title: 'Other benches',
    about: 'What is wrong with a bench that this one knows, or with a job that it took.',
  },
  store: { title: 'The data directory', about: 'At the start, and while the service runs.' },
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** docs/errors.md, from the catalogue. */
export function errorsPage(): string {
  const parts = [
    '# Error codes',
    '',
    'Every refusal of the service and every failure of a job has one of these codes. The HTTP body of a refusal is',
    '`{"detail": {"error": CODE, "message": WHAT HAPPENED + WHAT TO DO, "job_id"?, "errors"?}}`; a job that failed shows its',
    'code, what happened and what to do in `failure`. A message may say more exactly what happened than this page can.',
    '',
    'This page is made from the catalogue in `server/errors/` with `node run.mjs script server/errors/errors-page.ts`.',
  ];
  for (const [area, codes] of Object.entries(ERROR_AREAS)) {
    const { title, about } = AREAS[area] ?? { title: area, about: '' };
    parts.push('', `## ${title}`, '', about, '');
    parts.push('| Code | HTTP | What happened | What to do |', '|---|---|---|---|');
    for (const [code, { status, message, remedy }] of Object.entries(codes))
      parts.push(`| \`${code}\` | ${status} | ${cell(message)} | ${cell(remedy)} |`);
  }
  return `${parts.join('\n')}\n`;
}

/** Writes the page. */
export default function writeErrorsPage(): void {
  writeFileSync(path.join(appRoot, 'docs', 'errors.md'), errorsPage());
}
