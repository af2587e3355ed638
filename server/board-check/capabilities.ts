import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import Type from 'typebox';
import { type Catalogue, loadCatalogue } from '../boards/catalogue/index.ts';
import type { BoardDefinition } from '../boards/definition.ts';
import { BoardCheck } from '../contract/boards/board-checks.ts';
import {
  type BoardCapabilities,
  CAPABILITIES,
  type Capability,
  type CapabilityReport,
  Evidence,
  PROOFS,
  SYSTEMS,
} from '../contract/boards/capabilities.ts';
import { checkOf, parseAs } from '../contract/check.ts';
import { resourcePath } from '../paths.ts';
import { reportData } from './report.ts';

const isEvidence = checkOf(Type.Array(Evidence));
const isCheck = checkOf(BoardCheck);

/** The possible capabilities of a real board: not every board has both programming modes. */
export function capabilitiesOf({ programmer }: BoardDefinition): Capability[] {
  if (programmer.kind === 'virtual') return [];
  const { modes } = programmer;
  return CAPABILITIES.filter(
    (capability) =>
      (capability !== 'program-sram' || modes.includes('sram')) &&
      (capability !== 'program-flash' || modes.includes('flash')),
  );
}

/** The proofs in a submitted report of a board check; none when it failed or was of a virtual board. */
export function evidenceOfReport(check: BoardCheck, file: string): Evidence[] {
  const { board, state } = check;
  const system = SYSTEMS.find((name) => name === check.system.platform);
  if (state !== 'passed' || board.kind !== 'usb' || board.definition === null || !system) return [];
  const proven: Capability[] = [
    'build',
    'discover',
    board.mode === 'flash' ? 'program-flash' : 'program-sram',
    'link',
  ];
  const { definition } = board;
  return proven.map((capability) => ({
    board: definition,
    capability,
    proof: 'board',
    system,
    test: `reports/${file}`,
  }));
}

async function reportedEvidence(folder: string): Promise<Evidence[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.report.md')).sort();
  const found = files.map(async (file) => {
    const data = reportData(await readFile(path.join(folder, file), 'utf8'));
    const check = data === null ? null : parseAs(data, isCheck);
    if (!check) throw new Error(`${file} is not the report of a board check.`);
    return evidenceOfReport(check, file);
  });
  return (await Promise.all(found)).flat();
}

/**
 * All proofs: those of tests, and those from reports of real boards.
 * @throws Error when a file of the folder is invalid: they ship with the program.
 */
export async function loadEvidence(folder = resourcePath('capabilities')): Promise<Evidence[]> {
  const recorded = parseAs(await readFile(path.join(folder, 'evidence.json'), 'utf8'), isEvidence);
  if (!recorded) throw new Error('evidence.json does not match its schema.');
  return [...recorded, ...(await reportedEvidence(path.join(folder, 'reports')))];
}

/** The strongest proof of each capability of each real board of the catalogue on each system. */
export function summarise(catalogue: Catalogue, evidence: readonly Evidence[]): CapabilityReport {
  const real = catalogue.boards.filter(({ usb }) => usb !== undefined);
  return {
    boards: real.map((definition): BoardCapabilities => {
      const own = evidence.filter(({ board }) => board === definition.id);
      const capabilities = capabilitiesOf(definition);
      const proven = SYSTEMS.flatMap((system) =>
        capabilities.flatMap((capability) => {
          const fitting = own.filter((one) => one.system === system && one.capability === capability);
          const proof = PROOFS.findLast((name) => fitting.some((one) => one.proof === name));
          if (!proof) return [];
          return [{ system, capability, proof, tests: fitting.filter((one) => one.proof === proof).length }];
        }),
      );
      return {
        board: definition.id,
        name: definition.name,
        tested_on_hardware: definition.testedOnHardware,
        capabilities,
        proven,
      };
    }),
  };
}

let loaded: Promise<CapabilityReport> | undefined;

/** The report of this version, read once: its files ship with the program. */
export function loadCapabilities(): Promise<CapabilityReport> {
  loaded ??= loadEvidence().then((evidence) => summarise(loadCatalogue(), evidence));
  return loaded;
}
