import { ERROR_AREAS } from '../../server/errors/catalogue.ts';
import { chapter, code, table } from './markdown.ts';

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

/** The tables of docs/errors.md. */
export const errorTables = (): string =>
  Object.entries(ERROR_AREAS)
    .map(([area, codes]) => {
      const { title, about } = AREAS[area] ?? { title: area, about: '' };
      const rows = Object.entries(codes).map(([name, { status, message, remedy }]) => [
        code(name),
        String(status),
        message,
        remedy,
      ]);
      return chapter(title, about, table(['Code', 'HTTP', 'What happened', 'What to do'], rows));
    })
    .join('\n\n');
