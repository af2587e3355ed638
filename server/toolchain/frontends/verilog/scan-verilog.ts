import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { BuildRequest, ToolContext } from '../../build-request.ts';
import { errorsOf, wasInterrupted } from '../../diagnostics/findings.ts';
import { diagnosticLine } from '../../diagnostics/text.ts';
import { familyOf } from '../../families/index.ts';
import type { ExcludedSource, PreparedDesign } from '../../intake/prepared-design.ts';
import { isTestFile } from '../../languages/test-folders.ts';
import { piecesOf } from '../../languages/verilog/outline-lexer.ts';
import { findSlave, type Judgement, unreadable } from '../../slave/find-slave.ts';
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
import { findWaits, gaveUp, hasManyPasses, readWithSlang } from './slang.ts';

/** Time limit of the fallback, seconds. */
const FALLBACK_DEADLINE = 10;

/** Limit of readings with fewer tops, each without those that had errors. */
const MAX_READINGS = 4;

/** Messages of slang about endless or oversized sources. The fallback would run for ever, or truncate them. */
const LIMIT =
  /\bmaximum\b|\binfinite\b|\blimit\b|\brepeats\b|too deeply|more words than fit|more than any part/;

/** slang's messages for constructs that the fallback misreads: it adds a wire for any name, and mixes the two assignments. */
const MISREAD = /^use of undeclared identifier|blocking assignment to variable '\w+' is not supported after/;

/** Whether a source is in a folder of tests. */
const isTest = ({ path }: ExcludedSource) => isTestFile(reportedName(path));

/** Reports each unknown module once. For an entity of unreadable VHDL it adds the reason. */
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

/** Reads the named modules; without names, every module that is not instantiated. */
type Read = (tops?: readonly string[]) => Promise<Reading>;

/**
 * Reads a design in Verilog or SystemVerilog and finds the slave in it.
 * @param takesLong called, and awaited, before a design is read a second time
 * @throws the engine's errors
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
  const reason =
    outcome.kind === 'none' &&
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
    const judged = excludeBroken(settled, excluded, top !== undefined, reading.read.netlist);
    const isFound =
      settled.scan.matched !== null || settled.scan.outcome.kind === 'ambiguous' || excluded.every(isTest);
    if (judged.kind === 'judged' && isFound) return judged.judgement;
    const meant = judged.kind === 'judged' ? undefined : judged.meant;
    const first = withCauseFirst(all.diagnostics, excluded, meant);
    const slaves = judged.kind === 'meant' ? judged.slaves : [];
    return unreadable(source, withChoice(first, { slaves }), settled.scan.modules);
  }
  const fallback =
    unfit.length > 0 ||
    errorsOf(all.diagnostics).some(({ message }) => LIMIT.test(message) || MISREAD.test(message))
      ? null
      : await readFallback(
          errorsOf(all.diagnostics)[0],
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

/** The reading; null when it ran into a limit. */
const unlessEndless = (reading: Promise<Reading>): Promise<Reading | null> =>
  reading.catch((error: unknown) => {
    if (wasInterrupted(error)) return null;
    throw error;
  });

/** Diagnostics with the decisive error first. @param meant a source that may be what the author means */
function withCauseFirst(
  diagnostics: readonly Diagnostic[],
  broken: readonly ExcludedSource[],
  meant?: ExcludedSource,
): readonly Diagnostic[] {
  const cause = causeOf(broken, meant)?.error;
  return cause ? [cause, ...diagnostics.filter((one) => one !== cause)] : diagnostics;
}

/**
 * Reads the modules that can be elaborated: the chosen one, else those that may be the slave. Errors in other modules,
 * such as an instance of a missing module, do not count then.
 */
async function readPart(
  source: PreparedDesign,
  all: Reading,
  chosen: string | undefined,
  read: Read,
): Promise<Reading | null> {
  const { failing = new Set() } = all;
  // Otherwise the error is in a source's text.
  if (failing.size === 0 && chosen === undefined && !gaveUp(all)) return null;
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

/** The slave of a readable design. A slave below other modules is read again by itself, with its default parameters. */
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
  const separate = await read([module]);
  const own = judge(separate) ?? unreadable(source, separate.diagnostics);
  const around = first.lines.filter((line) => line.startsWith('note: ') && !own.lines.includes(line));
  return { scan: { ...own.scan, modules }, lines: [...around, ...own.lines] };
}

/**
 * Reads the design with the fallback, and adds a warning. It returns null when the fallback refuses the design, or finds
 * no slave that it can build.
 * @param refused what slang refuses
 */
async function readFallback(
  refused: Diagnostic | undefined,
  read: (top?: string) => Promise<Reading>,
  judge: (reading: Reading) => Judgement | null,
): Promise<Judgement | null> {
  const all = await read();
  const matched = judge(all)?.scan.matched;
  if (!matched) return null;
  const { read: made, diagnostics } = await read(matched.module);
  const warning: Diagnostic = {
    ...refused,
    severity: 'warning',
    code: 'yosys_fallback',
    message: `Yosys's own reader reads this design, because slang refuses it${refused ? ` (${refused.message})` : ''}: it may get signs, and parts that reach out of a vector, wrong without a word`,
  };
  return made && judge({ read: made, diagnostics: [warning, ...diagnostics] });
}
