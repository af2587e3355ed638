// `npm run generate [-- name…]`: writes every file of the repository that is made from another. With --check it only compares.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import rebuildBases, { builtFrom, currentSources } from './resources/base/rebuild.ts';
import { chipTableDigest, currentChipTable, writeChipTable } from './resources/fabric/generate.ts';
import { makeNotices, NOTICES } from './resources/licences/notices.ts';
import { accessTable } from './resources/pages/access.ts';
import { auditTable } from './resources/pages/audit.ts';
import { capabilitiesTable } from './resources/pages/capabilities.ts';
import { commandsTables } from './resources/pages/commands.ts';
import { endpointsTables } from './resources/pages/endpoints.ts';
import { errorTables } from './resources/pages/errors.ts';
import { eventsTable } from './resources/pages/events.ts';
import { metricsTable } from './resources/pages/metrics.ts';
import { platformsTable } from './resources/pages/platforms.ts';
import { settingsTables } from './resources/pages/settings.ts';
import { appRoot } from './server/paths.ts';
import {
  currentBitstreams,
  recordBitstreams,
  recordedBitstreams,
} from './tests/support/boards/virtual/recorded-bitstreams.ts';
import {
  currentNetlists,
  recordedNetlists,
  recordNetlists,
} from './tests/support/boards/virtual/recorded-netlists.ts';
import { decisionTable } from './tests/support/jobs/node/situations.ts';

export interface Generator {
  name: string;
  /** Path from the root of the repository. */
  file: string;
  /** What the file should contain, from what it contains. @throws Error when it cannot be made */
  make(now: string): string | Promise<string>;
  /** Where the bytes themselves are not compared: a text that stands for what the file contains. */
  read?(): string;
  /** Where writing the result of `make` is not enough. */
  write?(): void | Promise<void>;
}

/** A part of a page, between two comments that name its generator. */
function section(name: string, file: string, make: () => string | Promise<string>): Generator {
  const begin = `<!-- generated: ${name} (npm run generate) -->`;
  const end = `<!-- end of ${name} -->`;
  return {
    name,
    file,
    async make(page) {
      const [before, rest] = page.split(begin);
      const after = rest?.split(end)[1];
      if (before === undefined || after === undefined)
        throw new Error(`${file} needs the lines "${begin}" and "${end}".`);
      return `${before}${begin}\n\n${await make()}\n\n${end}${after}`;
    },
  };
}

export const GENERATORS: Generator[] = [
  section('errors', 'docs/errors.md', errorTables),
  section('access', 'docs/security.md', accessTable),
  section('capabilities', 'docs/boards.md', capabilitiesTable),
  section('audit', 'docs/operations.md', auditTable),
  section('decisions', 'docs/state-machine.md', decisionTable),
  section('endpoints', 'docs/endpoints.md', endpointsTables),
  section('events', 'docs/api.md', eventsTable),
  section('metrics', 'docs/operations.md', metricsTable),
  section('commands', 'docs/cli.md', commandsTables),
  section('platforms', 'docs/notes/platforms.md', platformsTable),
  section('settings', 'docs/settings.md', settingsTables),
  { name: 'notices', file: NOTICES, make: makeNotices },
  {
    name: 'base',
    file: 'resources/base/built-from.json',
    make: async () => JSON.stringify(await currentSources(), null, 2),
    read: () => JSON.stringify(builtFrom(), null, 2),
    write: rebuildBases,
  },
  {
    name: 'chip-table',
    file: 'resources/fabric/ice40-8k.table.br',
    make: currentChipTable,
    read: chipTableDigest,
    write: writeChipTable,
  },
  {
    name: 'netlists',
    file: 'tests/support/boards/virtual/designs/netlists/',
    make: () => JSON.stringify(currentNetlists(), null, 2),
    read: () => JSON.stringify(recordedNetlists(), null, 2),
    write: recordNetlists,
  },
  {
    name: 'bitstreams',
    file: 'tests/support/boards/virtual/designs/bitstreams/',
    make: () => JSON.stringify(currentBitstreams(), null, 2),
    read: () => JSON.stringify(recordedBitstreams(), null, 2),
    write: recordBitstreams,
  },
];

interface Comparison {
  generator: Generator;
  expected: string;
  /** Which file is stale, the command that writes it, and the first line that differs; null when it is up to date. */
  problem: string | null;
}

const pathOf = ({ file }: Generator): string => path.resolve(appRoot, file);

async function compare(generator: Generator): Promise<Comparison> {
  const file = pathOf(generator);
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : '');
  const received = generator.read?.() ?? text();
  const expected = await generator.make(received);
  if (received === expected) return { generator, expected, problem: null };
  const [now, then] = [received.split('\n'), expected.split('\n')];
  const at = then.findIndex((line, i) => line !== now[i]);
  const line = at < 0 ? then.length : at;
  const problem = [
    `${generator.file} is out of date: run \`npm run generate -- ${generator.name}\`.`,
    `  line ${line + 1} expected: ${then[line] ?? '(none)'}`,
    `  line ${line + 1} received: ${now[line] ?? '(none)'}`,
  ].join('\n');
  return { generator, expected, problem };
}

/** What is stale, a paragraph for each file. */
export async function staleFiles(generators: readonly Generator[] = GENERATORS): Promise<string[]> {
  const problems: string[] = [];
  for (const generator of generators) {
    const problem = await compare(generator).then(
      (compared) => compared.problem,
      (error: Error) => `${generator.file} cannot be made: ${error.message}`,
    );
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

/** Writes what is stale, one after the other: two of them may be parts of one page. Returns the names of the files. */
export async function generateFiles(generators: readonly Generator[] = GENERATORS): Promise<string[]> {
  const written: string[] = [];
  for (const generator of generators) {
    const { expected, problem } = await compare(generator);
    if (problem === null) continue;
    if (generator.write) await generator.write();
    else writeFileSync(pathOf(generator), expected);
    written.push(generator.file);
  }
  return written;
}

/** Resolves with the exit code. */
export default async function generate(args: string[]): Promise<number> {
  const names = args.filter((arg) => arg !== '--check');
  const unknown = names.filter((name) => !GENERATORS.some((generator) => generator.name === name));
  if (unknown.length > 0) {
    const known = GENERATORS.map(({ name }) => name).join(', ');
    process.stderr.write(`No such generator: ${unknown.join(', ')}. Generators: ${known}.\n`);
    return 2;
  }
  const chosen = GENERATORS.filter(({ name }) => names.length === 0 || names.includes(name));
  if (!args.includes('--check')) {
    for (const file of await generateFiles(chosen)) process.stdout.write(`${file}: written\n`);
    return 0;
  }
  const problems = await staleFiles(chosen);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length > 0 ? 1 : 0;
}
