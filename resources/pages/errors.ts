import { ERROR_AREAS } from '../../server/errors/catalogue.ts';
import { chapter, code, table } from './markdown.ts';

/** The chapters, in the order of the page. */
const AREAS: Record<keyof typeof ERROR_AREAS, { title: string; about: string }> = {
  api: { title: 'Requests', about: 'About the request itself, or the address where the service listens.' },
  auth: { title: 'Callers', about: 'Keys, invitations, the operator and the identity provider.' },
  jobs: { title: 'Nodes and jobs', about: 'Why a node refuses a request, or why a job failed.' },
  designs: { title: 'Designs', about: 'What the bench keeps with a design.' },
  courses: { title: 'Courses', about: 'Members, shares, assignments and hand-ins.' },
  toolchain: { title: 'Builds', about: 'Why a build failed. The log of the job names the line.' },
  boards: { title: 'Boards', about: 'For most of these, run `npm run doctor` first.' },
  signals: { title: 'Signals', about: 'Signals, captures and the clock of a board.' },
  wishbone: { title: 'The link', about: 'Words, pins and the serial line of a board.' },
  store: { title: 'The data directory', about: 'Its disk, its lock and its backups.' },
  benches: { title: 'Other benches', about: 'A remote bench, or a job that it took.' },
};

/** The tables of docs/errors.md. The remedy is in every answer and would double the page. */
export const errorTables = (): string =>
  Object.entries(AREAS)
    .map(([area, { title, about }]) => {
      const rows = Object.entries(ERROR_AREAS[area as keyof typeof AREAS]).map(
        ([name, { status, message }]) => [code(name), String(status), message],
      );
      return chapter(title, about, table(['Code', 'HTTP', 'What happened'], rows));
    })
    .join('\n\n');
