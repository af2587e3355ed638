import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { BuildRequest, ToolContext } from '../../build-request.ts';
import { errorsOf, wasInterrupted } from '../../diagnostics/findings.ts';
import { diagnosticLine } from '../../diagnostics/text.ts';
import { familyOf } from '../../families/index.ts';
import type { ExcludedSource, PreparedDesign } from '../../intake/prepared-design.ts';
import { isTestFile } from '../../languages/test-folders.ts';
import { piecesOf } from '../../languages/verilog/outline-lexer.ts';
import { findSlave, type Judgement, unreadable } from '../../slave/find-slave.ts';
import { modulesBelow, type Netlist } from '../../slave/netlist.ts';
import { type PartCells, partCellsIn } from '../../slave/part-cells.ts';
import { modulesWithSlavePorts } from '../../slave/slave-ports.ts';
import type { ToolEngine } from '../../tool-engine.ts';
import { reportedName } from '../../tool-paths.ts';
import { causeOf, excludeBroken, withChoice } from '../excluded-sources.ts';
import type { Reading } from '../reading.ts';
import { readWithYosys } from '../yosys-form.ts';
import { textOf } from './copies.ts';
import { brokenSources, readWithoutBroken } from './excluded-sources.ts';
import { hiddenBus, noModule } from './hidden-modules.ts';
import { withHints } from './hints.ts';
import { slaveByInterface } from './interface-ports.ts';
import { findWaits, hasManyPasses, readWithSlang } from './slang.ts';

/** Seconds that Yosys's own reader has for what slang refuses. */
const FALLBACK_DEADLINE = 10;

/** Readings of a design with other tops, each without those in which errors were found. */
const MAX_READINGS = 4;

/** What Yosys's own reader only warns of: it makes something else of the design than its author means, or what no part has. */
const DOUBTFUL = /^Identifier .* is implicitly declared|^Async reset value .* is not constant/;

/** What slang says of a source that comes to no end, or is larger than it may be: another reader would try for ever, or cut it off. */
const LIMIT = /\bmaximum\b|\binfinite\b|\blimit\b|\brepeats\b|too deeply|more words than fit/;

/** What slang says of a module that has its bus as an interface. */
const INTERFACE_PORT = /has unconnected interface port/;

/** Whether a source stands in a folder of tests. */
const isTest = ({ path }: ExcludedSource) => isTestFile(reportedName(path));

/** Modules that are nowhere, each once and by its name; of an entity of the project's VHDL, of which nothing could be read, the reason. */
function unknownOnce(diagnostics: readonly Diagnostic[], { verilog }: PreparedDesign): Diagnostic[] {
  const known = new Set<string>();
  return diagnostics.flatMap((found) => {
    const [unknown, module = ''] = /^unknown module '(\w+)'/.exec(found.message) ?? [];
    if (unknown === undefined) return found;
    if (known.has(module)) return [];
    known.add(module);
    const path = verilog?.unread?.entities.get(module.toLowerCase());
    if (path === undefined) return { ...found, module };
    const message = `${unknown}: it is VHDL (${path}), which could not be read: ${verilog?.unread?.reason}`;
    return { ...found, message, module };
  });
}

/** Reads modules of a design; every one that nothing instantiates where none is named. */
type Read = (tops?: readonly string[]) => Promise<Reading>;

/**
 * Reads a design in Verilog or SystemVerilog and finds the slave in it.
 * @param takesLong called, and waited for, before a design is read again that could not be read at once
 * @throws what the engine rejects with
 */
export async function scanVerilog(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
  takesLong: () => Promise<void>,
): Promise<Judgement> {
  const cells = partCellsIn(source, familyOf(request.board));
  const judged = await readAndJudge(source, request, cells, engine, context, takesLong);
  const { matched, outcome, modules, diagnostics } = judged.scan;
  if (matched) {
    const waits = await findWaits(source, { cells, tops: [matched.module] }, engine, context);
    return waits.length > 0 ? unreadable(source, withHints(waits, source), modules) : judged;
  }
  const isBehindInterface =
    outcome.kind === 'invalid' && outcome.errors.every(({ message }) => INTERFACE_PORT.test(message));
  const reason = isBehindInterface
    ? slaveByInterface(source)
    : outcome.kind === 'none' &&
      (modules.length === 0 ? noModule(source) : outcome.nearest?.problem.bus ? null : hiddenBus(source));
  if (!reason) return judged;
  const others =
    modules.length === 0 ? diagnostics.filter(({ severity }) => severity !== 'error') : diagnostics;
  const { scan, lines } = judged;
  return {
    scan: { ...scan, outcome: { kind: 'invalid', errors: [reason] }, diagnostics: [reason, ...others] },
    lines: [...lines, diagnosticLine(reason)],
  };
}

async function readAndJudge(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  cells: PartCells,
  engine: ToolEngine,
  context: ToolContext,
  takesLong: () => Promise<void>,
): Promise<Judgement> {
  const { top } = request.options;
  const readerOf =
    (sources: PreparedDesign, manyPasses = false): Read =>
    async (tops = []) => {
      const reading = await readWithSlang(sources, { cells, tops, manyPasses }, engine, context);
      return { ...reading, diagnostics: unknownOnce(withHints(reading.diagnostics, sources), sources) };
    };
  const judge = ({ read, diagnostics }: Reading): Judgement | null =>
    read && findSlave({ source: read.design, netlist: read.netlist, diagnostics }, request);

  const unfit = errorsOf(source.diagnostics);
  const all: Reading = unfit.length > 0 ? { read: null, diagnostics: unfit } : await readerOf(source)();
  if (all.read) return settle(source, all, readerOf(source), judge);
  await takesLong();

  const part = unfit.length > 0 ? null : await readPart(source, all, top, readerOf(source));
  const partly = part && (await settle(source, part, readerOf(source), judge));
  if (partly?.scan.matched || partly?.scan.outcome.kind === 'ambiguous') return partly;

  if (hasManyPasses(all)) {
    const read = readerOf(source, true);
    const patient = await unlessEndless(read());
    if (patient?.read) return settle(source, patient, read, judge);
  }

  const rest = await readWithoutBroken(source, all.diagnostics, (sources) => readerOf(sources)());
  if (rest) {
    const { reading, sources, excluded } = rest;
    const settled = await settle(sources, reading, readerOf(sources), judge);
    const judged = excludeBroken(settled, excluded, top !== undefined, below(reading.read.netlist));
    const isFound =
      settled.scan.matched !== null || settled.scan.outcome.kind === 'ambiguous' || excluded.every(isTest);
    if (judged.kind === 'judged' && isFound) return judged.judgement;
    const meant = judged.kind === 'judged' ? undefined : judged.meant;
    const first = withCauseFirst(all.diagnostics, excluded, meant);
    const slaves = judged.kind === 'meant' ? judged.slaves : [];
    return unreadable(source, withChoice(first, { slaves }), settled.scan.modules);
  }
  const fallback =
    unfit.length > 0 || errorsOf(all.diagnostics).some(({ message }) => LIMIT.test(message))
      ? null
      : await readFallback(
          source,
          (name) =>
            readWithYosys(
              source,
              { top: name ?? top, deadline: FALLBACK_DEADLINE, libraries: cells.libraries },
              engine,
              context,
            ),
          judge,
        );
  return (
    fallback ?? unreadable(source, withCauseFirst(all.diagnostics, brokenSources(all.diagnostics, source)))
  );
}

/** A reading; null for one that came to no end. */
const unlessEndless = (reading: Promise<Reading>): Promise<Reading | null> =>
  reading.catch((error: unknown) => {
    if (wasInterrupted(error)) return null;
    throw error;
  });

/** What was found wrong, with the error first that counts. @param meant a source that may be what is meant */
function withCauseFirst(
  diagnostics: readonly Diagnostic[],
  broken: readonly ExcludedSource[],
  meant?: ExcludedSource,
): readonly Diagnostic[] {
  const cause = causeOf(broken, meant)?.error;
  return cause ? [cause, ...diagnostics.filter((one) => one !== cause)] : diagnostics;
}

/**
 * Reads the modules of a design that can be elaborated: the one that was chosen, else those that may be the slave. What is wrong
 * in others, such as an instance of a module that is nowhere, does not count then.
 */
async function readPart(
  source: PreparedDesign,
  all: Reading,
  chosen: string | undefined,
  read: Read,
): Promise<Reading | null> {
  const { failing = new Set() } = all;
  // Else it is an error in the text of a source; slang says of loops only where they stand.
  if (failing.size === 0 && chosen === undefined && !hasManyPasses(all)) return null;
  let tops =
    chosen === undefined
      ? source.units
          .flatMap((unit) => modulesWithSlavePorts(piecesOf(textOf(source.files, unit))))
          .filter((name) => !failing.has(name))
      : [chosen];
  for (let readings = 0; tops.length > 0 && readings < MAX_READINGS; readings++) {
    const reading = await read(tops);
    if (reading.read) return reading;
    const rest = tops.filter((top) => !reading.failing?.has(top));
    if (rest.length === tops.length) return null;
    tops = rest;
  }
  return null;
}

/** The modules that a module of the sources needs, and itself. */
const below =
  (netlist: Netlist) =>
  (slave: string): ReadonlySet<string> => {
    const modules = [...netlist.values()].filter(({ definition }) => definition === slave);
    return new Set(
      modules.flatMap(({ name }) => modulesBelow(name, netlist)).map(({ definition }) => definition),
    );
  };

/** The slave of a design that was read: by itself where it is below other modules, with the parameters of its declaration. */
async function settle(
  source: PreparedDesign,
  reading: Reading,
  read: Read,
  judge: (reading: Reading) => Judgement | null,
): Promise<Judgement> {
  const first = judge(reading) ?? unreadable(source, reading.diagnostics);
  const { outcome, modules } = first.scan;
  if (outcome.kind !== 'matched') return first;
  const { module } = outcome.design;
  const isWhole = [...(reading.read?.netlist.values() ?? [])].every(
    ({ isTop, name }) => !isTop || name === module,
  );
  if (isWhole) return first;
  const alone = await read([module]);
  const own = judge(alone) ?? unreadable(source, alone.diagnostics);
  const around = first.lines.filter((line) => line.startsWith('note: ') && !own.lines.includes(line));
  return { scan: { ...own.scan, modules }, lines: [...around, ...own.lines] };
}

/**
 * The design as Yosys's own reader has it, with a warning that says so; null where that refuses it, too, is in doubt of it, or does
 * not find a slave that it can make.
 */
async function readFallback(
  source: PreparedDesign,
  read: (top?: string) => Promise<Reading>,
  judge: (reading: Reading) => Judgement | null,
): Promise<Judgement | null> {
  const all = await read();
  const matched = judge(all)?.scan.matched;
  if (!matched) return null;
  const { read: made, diagnostics } = await read(matched.module);
  if ([...all.diagnostics, ...diagnostics].some(({ message }) => DOUBTFUL.test(message))) return null;
  const [file, ...others] = source.uploaded;
  const warning: Diagnostic = {
    severity: 'warning',
    code: 'yosys_fallback',
    message:
      "slang refuses this design; it is read by Yosys's own reader of Verilog, which knows less of the language",
    ...(file !== undefined && others.length === 0 && { file }),
  };
  return made && judge({ read: made, diagnostics: [warning, ...diagnostics] });
}
