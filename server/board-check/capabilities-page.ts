import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadCatalogue } from '../boards/catalogue/index.ts';
import type {
  BoardCapabilities,
  Capability,
  CapabilityReport,
  Proof,
  SystemName,
} from '../contract/capabilities.ts';
import { PROOFS, SYSTEMS } from '../contract/capabilities.ts';
import { appRoot } from '../paths.ts';
import { loadEvidence, summarise } from './capabilities.ts';

const BEGIN = '<!-- What was proven: made by server/board-check/capabilities-page.ts -->';
const END = '<!-- End of what was proven -->';

const SYSTEM_NAMES: Record<SystemName, string> = { linux: 'Linux', win32: 'Windows', darwin: 'macOS' };
const PROOF_NAMES: Record<Proof, string> = {
  board: 'real board',
  kernel: 'real kernel',
  emulated: 'emulated',
  build: 'built',
};
const CAPABILITY_NAMES: Record<Capability, string> = {
  build: 'a design that meets its clock',
  discover: 'discovery',
  'program-sram': 'SRAM',
  'program-flash': 'flash',
  link: 'reading and writing',
  hotplug: 'unplugging',
};

function onSystem({ proven }: BoardCapabilities, system: SystemName): string {
  const own = proven.filter((one) => one.system === system);
  const lines = PROOFS.toReversed().flatMap((proof) => {
    const names = own
      .filter((one) => one.proof === proof)
      .map(({ capability }) => CAPABILITY_NAMES[capability]);
    return names.length > 0 ? [`**${PROOF_NAMES[proof]}:** ${names.join(', ')}`] : [];
  });
  return lines.length > 0 ? lines.join('<br>') : 'nothing yet';
}

/** The table of docs/boards.md. */
export function capabilitiesTable({ boards }: CapabilityReport): string {
  const head = ['Board', ...SYSTEMS.map((system) => SYSTEM_NAMES[system])];
  const rows = boards.map((board) => [
    `${board.name}${board.tested_on_hardware ? ' (reported to work)' : ''}`,
    ...SYSTEMS.map((system) => onSystem(board, system)),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The text of docs/boards.md with this table between its markers. @throws Error when they are not there. */
export function withTable(page: string, table: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('docs/boards.md has lost its markers.');
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}

/** Writes the table into docs/boards.md. */
export default async function writeCapabilitiesPage(): Promise<void> {
  const file = path.join(appRoot, 'docs', 'boards.md');
  const table = capabilitiesTable(summarise(loadCatalogue(), await loadEvidence()));
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), table));
}
