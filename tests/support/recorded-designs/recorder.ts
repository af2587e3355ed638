import { constraintsOf, loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import { systemClock } from '../../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../../server/contract/bench/settings.ts';
import type {
  BuildReport,
  Language,
  MatchedDesign,
  ScanResult,
} from '../../../server/contract/designs/uploads.ts';
import type { Diagnostic } from '../../../server/contract/diagnostics.ts';
import { BenchError } from '../../../server/errors/bench-error.ts';
import { silentLogger } from '../../../server/log.ts';
import { extractSymbols } from '../../../server/symbols/extract.ts';
import { readNetlist } from '../../../server/symbols/netlist-file.ts';
import { findInstalledTools } from '../../../server/toolchain/build/installed-tools.ts';
import { runBuild } from '../../../server/toolchain/build/run-build.ts';
import { cellCounts } from '../../../server/toolchain/build/statistics.ts';
import type { BuildRequest } from '../../../server/toolchain/build-request.ts';
import { createEmbeddedEngine } from '../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { NETLIST, STATISTICS } from '../../../server/toolchain/families/family.ts';
import { familyOf } from '../../../server/toolchain/families/index.ts';
import type { Translated } from '../../../server/toolchain/frontends/frontend.ts';
import {
  type DesignScan,
  requireMatch,
  scanDesignSources,
} from '../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../server/toolchain/intake/design.ts';
import type { ToolEngine } from '../../../server/toolchain/tool-engine.ts';
import {
  type NamedDesign,
  type RecordedDesign,
  type RecordedMatch,
  type RecordingDepth,
  shortHash,
} from './record.ts';

/** Seconds of synthesis: designs that take longer are recorded as refused for it. */
const SYNTHESIS_DEADLINE = 90;

/** An empty slave. */
export const NO_SLAVE = `module nothing(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr,
  input [31:0] wb_dat_w, input [3:0] wb_sel, output [31:0] wb_dat_r, output wb_ack);
  assign wb_ack = wb_cyc & wb_stb;
  assign wb_dat_r = 0;
endmodule
`;

const quiet = { log() {}, progress() {} };
const milliseconds = (began: number) => Math.round(performance.now() - began);

/** Thrown where no more than synthesis is wanted. */
class Enough extends Error {}

/** The result of synthesis, besides the build's own. */
interface Synthesised {
  netlist?: Uint8Array;
  statistics?: Uint8Array;
  milliseconds?: number;
}

/** A design with a slave in it. */
interface ScannedDesign {
  translated: Translated;
  scan: DesignScan;
  language: Language;
}

/** An engine that records the netlist on its way. @param whole place and route run, too */
function tapped(engine: ToolEngine, synthesised: Synthesised, whole: boolean): ToolEngine {
  return {
    ...engine,
    async run(run) {
      if (run.tool.startsWith('nextpnr') && !whole) throw new Enough();
      const result = await engine.run(run);
      if (run.outputs.includes(NETLIST))
        Object.assign(synthesised, {
          netlist: result.files[NETLIST],
          statistics: result.files[STATISTICS],
          milliseconds: Math.round(result.seconds * 1000),
        });
      return result;
    },
  };
}

/** Records designs with the real toolchain, one by one. */
export class DesignRecorder {
  readonly #embedded = createEmbeddedEngine({
    logger: silentLogger,
    clock: systemClock,
    memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
  });
  readonly #tools = findInstalledTools({
    embedded: this.#embedded,
    logger: silentLogger,
    paths: {},
    memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
    vhdlWithoutSandbox: () => true,
    clock: systemClock,
  });
  readonly #catalogue = loadCatalogue();

  async versions(): Promise<Record<string, string>> {
    const listed = await this.#tools.list();
    return Object.fromEntries(
      listed.flatMap(({ name, tool, version }) => (version === null ? [] : [[`${name} ${tool}`, version]])),
    );
  }

  /** Never rejects: an error of a design is its record. */
  async record(design: NamedDesign, depth: RecordingDepth): Promise<RecordedDesign> {
    const { id, digest, source, filename, options } = design;
    const recorded: RecordedDesign = {
      ...{ id, digest, depth, outcome: { kind: 'scanned' }, diagnostics: [], modules: [], match: null },
      scanMilliseconds: 0,
    };
    const board = this.#catalogue.get(design.board);
    if (!board) throw new Error(`${id}: there is no board ${design.board}.`);
    const scanned = await this.#scan({ source, filename, board, options }, recorded);
    if (scanned && depth !== 'scan') await this.#build(scanned, recorded, depth === 'build');
    return recorded;
  }

  /** @returns null where the design is refused */
  async #scan(request: BuildRequest, recorded: RecordedDesign): Promise<ScannedDesign | null> {
    const began = performance.now();
    try {
      const engine = this.#tools.reader;
      const { design } = await prepareDesign(request);
      const translated = await this.#tools.frontends.of(design.language).translate(request, design, quiet);
      const scan = await scanDesignSources(translated.source, translated.request, engine, quiet);
      recorded.scanMilliseconds = milliseconds(began);
      recorded.diagnostics = scan.diagnostics.map(diagnosticText);
      recorded.modules = scan.modules.map(moduleText);
      recorded.match = scan.matched && matchOf(scan.matched);
      requireMatch(scan);
      return { translated, scan, language: design.language };
    } catch (error) {
      recorded.scanMilliseconds ||= milliseconds(began);
      refused(recorded, 'scan', error);
      return null;
    }
  }

  async #build(
    { translated, scan, language }: ScannedDesign,
    recorded: RecordedDesign,
    whole: boolean,
  ): Promise<void> {
    const { request } = translated;
    const { board } = request;
    const synthesised: Synthesised = {};
    const began = performance.now();
    let report: BuildReport | null = null;
    try {
      const engine = await this.#tools.engineFor(board);
      const built = await runBuild({
        ...translated,
        scanned: { scan, seconds: 0 },
        buildId: '0'.repeat(64),
        constraints: constraintsOf(board),
        engine: tapped(engine, synthesised, whole),
        versions: await this.#tools.versions(engine, board, language),
        stageDeadline: SYNTHESIS_DEADLINE,
        context: quiet,
        clock: systemClock,
      });
      report = built.report;
    } catch (error) {
      const enough = error instanceof Enough && synthesised.netlist !== undefined;
      if (!enough) refused(recorded, 'build', error);
    }
    const { netlist, statistics } = synthesised;
    if (!netlist || !statistics) return;
    if (recorded.outcome.kind === 'scanned') recorded.outcome = { kind: report ? 'built' : 'synthesised' };
    if (synthesised.milliseconds !== undefined) recorded.synthesisMilliseconds = synthesised.milliseconds;
    const family = familyOf(board);
    const cells = cellCounts(statistics);
    recorded.area = used(family.utilisation(cells, family.partUse(cells, board)));
    recorded.signals = signalsOf(netlist);
    if (!report) return;
    recorded.build = {
      diagnostics: report.diagnostics.map(diagnosticText),
      fmax: report.timing.fmax_mhz,
      ownFmax: report.timing.design?.fmax_mhz ?? null,
      ownArea: used(report.utilisation.map((row) => ({ ...row, used: row.design ?? 0 }))),
      seconds: milliseconds(began) / 1000,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#embedded.close(), this.#tools.close()]);
  }
}

function refused(recorded: RecordedDesign, stage: 'scan' | 'build', error: unknown): void {
  if (!(error instanceof BenchError)) {
    recorded.outcome = { kind: 'failed', stage, message: String(error) };
    return;
  }
  const { code, message, diagnostics } = error;
  recorded.outcome = { kind: 'refused', stage, code, message };
  if (diagnostics.length > 0) recorded.diagnostics = diagnostics.map(diagnosticText);
}

const used = (rows: BuildReport['utilisation']): Record<string, number> =>
  Object.fromEntries(rows.filter((row) => row.used > 0).map((row) => [row.resource, row.used]));

const placeText = ({ file, line }: { file?: string; line?: number }): string =>
  file === undefined ? '' : line === undefined ? ` ${file}` : ` ${file}:${line}`;

const diagnosticText = (one: Diagnostic): string =>
  `${one.severity} ${one.code}${placeText(one)}: ${one.message}`;

const moduleText = ({ name, ports, ...place }: ScanResult['modules'][number]): string =>
  `${name}${placeText(place)}: ${ports
    .map(({ name: port, direction, width, offset }) => `${port} ${direction} ${width}+${offset}`)
    .join(', ')}`;

const matchOf = (design: MatchedDesign): RecordedMatch => ({
  module: design.module,
  handshake: design.handshake,
  addressing: design.addressing,
  addressingReason: design.addressingReason,
  dataWidth: design.dataWidth,
  addressWidth: design.addressWidth,
  resetActiveLow: design.resetActiveLow,
  roles: design.roles,
  ties: design.ties.map(({ port, value }) => `${port}=${value}`),
  pins: (design.pins ?? []).map(({ name, direction, width }) => `${name} ${direction} ${width}`),
  open: design.open,
});

/** The signals as they are listed of a build, without their places in the chip. */
function signalsOf(netlist: Uint8Array): NonNullable<RecordedDesign['signals']> {
  const synthesised = readNetlist(Buffer.from(netlist).toString());
  if (!synthesised) throw new Error('The netlist cannot be read.');
  const { signals } = extractSymbols(synthesised, { cells: {}, netnames: {} });
  const names = signals
    .map(({ low, ascending, places, ...signal }) => {
      const high = low + places.length - 1;
      const range = places.length === 1 ? '' : ascending ? `[${low}:${high}]` : `[${high}:${low}]`;
      return `${signal.name}${range}${placeText(signal)}`;
    })
    .sort();
  return { count: names.length, hash: shortHash(names.join('\n')), names };
}
