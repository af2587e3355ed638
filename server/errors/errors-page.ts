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

/** The tables of docs/errors.md, from the catalogue. */
export function errorTables(): string {
  const parts: string[] = [];
  for (const [area, codes] of Object.entries(ERROR_AREAS)) {
    const { title, about } = AREAS[area] ?? { title: area, about: '' };
    parts.push('', `## ${title}`, '', about, '');
    parts.push('| Code | HTTP | What happened | What to do |', '|---|---|---|---|');
    for (const [code, { status, message, remedy }] of Object.entries(codes))
      parts.push(`| \`${code}\` | ${status} | ${cell(message)} | ${cell(remedy)} |`);
  }
  return parts.join('\n').trim();
}
