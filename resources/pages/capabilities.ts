import { loadEvidence, summarise } from '../../server/board-check/capabilities.ts';
import { loadCatalogue } from '../../server/boards/catalogue/index.ts';
import {
  type BoardCapabilities,
  type Capability,
  PROOFS,
  type Proof,
  SYSTEMS,
  type SystemName,
} from '../../server/contract/boards/capabilities.ts';
import { table } from './markdown.ts';

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
export async function capabilitiesTable(): Promise<string> {
  const { boards } = summarise(loadCatalogue(), await loadEvidence());
  return table(
    ['Board', ...SYSTEMS.map((system) => SYSTEM_NAMES[system])],
    boards.map((board) => [
      `${board.name}${board.tested_on_hardware ? ' (reported to work)' : ''}`,
      ...SYSTEMS.map((system) => onSystem(board, system)),
    ]),
  );
}
