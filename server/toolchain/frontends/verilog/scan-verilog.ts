import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { errorsOf } from '../../diagnostics/findings.ts';
import { textOf } from '../../scan/copies.ts';
import { besideBroken, causeOf, withChoice } from '../../scan/left-out.ts';
import { piecesOf } from '../../scan/outline-lexer.ts';
import type { PreparedDesign } from '../../scan/prepared-design.ts';
import { modulesWithSlavePorts } from '../../scan/slave-ports.ts';
import { findSlave, type Judgement, unreadable } from '../../slave/find-slave.ts';
import { modulesBelow, type Netlist } from '../../slave/netlist.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../../toolchain.ts';
import { readWithYosys } from '../yosys-form.ts';
import { readWithoutBroken } from './excluded-sources.ts';
import { partCellsIn } from './part-cells.ts';
import { type Reading, readWithSlang } from './slang.ts';

/** Seconds that Yosys's own reader has for what slang refuses. */
const FALLBACK_DEADLINE = 10;

/** Readings of a design with other tops, each without those in which errors were found. */
const MAX_READINGS = 4;

/** What slang says of a source that comes to no end, or is larger than it may be: other readers would try for ever. */
const LIMIT = /\bmaximum\b|\binfinite\b|\blimit\b|too deeply/;

/** What Yosys warns of where slang refuses. */
const UNDECLARED = /declared nowhere|implicitly declared/;

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
  const { top } = request.options;
  const cells = partCellsIn(source, request.board.fpga.family);
  const readerOf =
    (sources: PreparedDesign): Read =>
    (tops = []) =>
      readWithSlang(sources, { cells, tops }, engine, context);
  const judge = ({ read, diagnostics }: Reading): Judgement | null =>
    read && findSlave({ source: read.design, netlist: read.netlist, diagnostics }, request);

  const unfit = errorsOf(source.diagnostics);
  const all: Reading = unfit.length > 0 ? { read: null, diagnostics: unfit } : await readerOf(source)();
  if (all.read) return settle(source, all, readerOf(source), judge);
  await takesLong();

  const part = unfit.length > 0 ? null : await readPart(source, all, top, readerOf(source));
  const partly = part && (await settle(source, part, readerOf(source), judge));
  if (partly?.scan.matched || partly?.scan.outcome.kind === 'ambiguous') return partly;

  const rest = await readWithoutBroken(source, all.diagnostics, (sources) => readerOf(sources)());
  if (rest) {
    const { reading, sources, excluded } = rest;
    const settled = await settle(sources, reading, readerOf(sources), judge);
    const judged = besideBroken(settled, excluded, top !== undefined, below(reading.read.netlist));
    if (judged.kind === 'judged') return judged.judgement;
    const cause = causeOf(excluded, judged.meant)?.error;
    const first = cause ? [cause, ...all.diagnostics.filter((one) => one !== cause)] : all.diagnostics;
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
  return fallback ?? unreadable(source, all.diagnostics);
}

/**
 * Reads the modules of a design that can be elaborated: the one that was chosen, else those that may be the slave. What is wrong
 * in others, such as an instance of a module that is nowhere, does not count then.
 */
async function readPart(
  source: PreparedDesign,
  { failing = new Set() }: Reading,
  chosen: string | undefined,
  read: Read,
): Promise<Reading | null> {
  if (failing.size === 0 && chosen === undefined) return null; // an error in the text of a source
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
  return { ...own, scan: { ...own.scan, modules } };
}

/**
 * The design as Yosys's own reader has it, with a warning that says so; null where that refuses it, too, or does not find a slave
 * that it can make.
 */
async function readFallback(
  source: PreparedDesign,
  read: (top?: string) => Promise<Reading>,
  judge: (reading: Reading) => Judgement | null,
): Promise<Judgement | null> {
  const first = await read();
  const matched = judge(first)?.scan.matched;
  // A net that nothing drives, of a name that is declared nowhere, would be built without a word.
  if (!matched || first.diagnostics.some(({ message }) => UNDECLARED.test(message))) return null;
  const { read: made, diagnostics } = await read(matched.module);
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
