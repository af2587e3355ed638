import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../clock.ts';
import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { BenchError } from '../../../errors/bench-error.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { untriedGhdl } from '../../../process/ghdl-versions.ts';
import type { ToolContext } from '../../build-request.ts';
import { causeFirst, errorsOf, Findings } from '../../diagnostics/findings.ts';
import { diagnosticLine, headline } from '../../diagnostics/text.ts';
import { type ConfiguredPaths, findExecutable } from '../../engines/executables.ts';
import { plainEnvironment, runTool } from '../../engines/run-tool.ts';
import type { FoundSandbox } from '../../engines/sandbox/bubblewrap.ts';
import type { MemoryCapacity } from '../../families/family.ts';
import type { PreparedDesign, Unbuilt } from '../../intake/prepared-design.ts';
import { vhdlEntities, vhdlLowBounds, vhdlPartsOnly } from '../../languages/vhdl/vhdl.ts';
import { vhdlRoots } from '../../languages/vhdl/vhdl-units.ts';
import { withTemporaryFolder } from '../../temporary-folder.ts';
import { reportedName } from '../../tool-paths.ts';
import { hasVariant, isUnbound, isWithin, ownNames } from './ghdl-modules.ts';
import { withEdgesAsClocks } from './ghdl-netlist/edge-enables.ts';
import { genericValues, hasGenerics } from './ghdl-netlist/generics.ts';
import { lostBits } from './ghdl-netlist/lost-bits.ts';
import { hasMixedWidths } from './ghdl-netlist/memories.ts';
import { type Surroundings, writeModule } from './ghdl-netlist/module.ts';
import { generateRanges } from './ghdl-netlist/names.ts';
import type { NetlistModule } from './ghdl-netlist/netlist.ts';
import { parseNetlist } from './ghdl-netlist/parse.ts';
import { withSourceWords } from './ghdl-netlist/source-words.ts';
import { tooManyRegisters } from './ghdl-registers.ts';
import {
  type Ghdl,
  GhdlDefect,
  type GhdlHost,
  MEMORY,
  runGhdl,
  type Translation,
  unreadable,
} from './ghdl-run.ts';
import { metDefect, withoutValues } from './ghdl-unbuilt.ts';
import { withMatchingChoices } from './matching-choices.ts';
import { withoutNewerWords } from './newer-words.ts';
import { withRightConstants } from './right-constants.ts';

/** Finds GHDL on this machine; null when there is none. */
export async function findGhdl(clock: Clock, paths: ConfiguredPaths = {}): Promise<Ghdl | null> {
  const file = await findExecutable('ghdl', paths);
  if (file === null) return null;
  const lines: string[] = [];
  await runTool({
    command: file,
    args: ['--version'],
    cwd: '/',
    env: plainEnvironment(),
    clock,
    deadline: 10,
    limits: { memory: MEMORY },
    onLine: (line) => lines.push(line),
  });
  return { path: file, version: lines[0] ?? 'GHDL' };
}

/** A module with the parts of its netlist that its writer needs. */
interface ReadModule extends Pick<Surroundings, 'modules' | 'generics'> {
  module: NetlistModule;
}

/** Result of reading an entity, with diagnostics and log lines. */
interface EntityResult {
  modules: readonly ReadModule[];
  findings: readonly Diagnostic[];
  lines: readonly Parameters<ToolContext['log']>[];
}

/** Results by entity. GHDL reads only what an entity needs: a result does not depend on other sources. */
export type ReadEntities = Map<string, EntityResult>;

/** What to read, and for which part. */
export interface VhdlGoal {
  /** The entity to build; undefined when it must be found. */
  top: string | undefined;
  /** Capacity of the part. */
  capacity: MemoryCapacity;
  /** Results of earlier readings of the same sources, for readings that exclude some. */
  done?: ReadEntities;
}

/** Why a design in VHDL cannot be built here: no GHDL, or no sandbox where the operator requires one. */
export function vhdlRefusal(
  ghdl: Ghdl | null,
  sandbox: FoundSandbox,
  withoutSandbox: boolean,
): BenchError | null {
  if (ghdl === null)
    return toolchainError('tool_missing', {
      message: 'A design in VHDL needs GHDL, which is not installed.',
      remedy:
        'Install GHDL (package ghdl) so that it is on the PATH of the service, or submit the design in Verilog.',
    });
  if (sandbox.kind === 'missing' && !withoutSandbox)
    return toolchainError('vhdl_unconfined', {
      message: `A design in VHDL can open files while it is read, so GHDL runs only in a sandbox, and there is none: ${sandbox.reason}.`,
    });
  return null;
}

/**
 * Reads a VHDL design with `ghdl --synth`: every entity that no other one contains, because each may be the slave. It
 * translates the netlist into Yosys's form, with places in the VHDL source.
 * @throws design_invalid with GHDL's messages; build_too_large for a memory that becomes registers; tool_deadline,
 *   tool_memory, tool_crashed, build_aborted
 */
export async function readVhdl(
  { ghdl, sandbox, clock }: GhdlHost,
  source: PreparedDesign,
  { top, capacity, done = new Map() }: VhdlGoal,
  context: ToolContext,
): Promise<PreparedDesign> {
  const { texts: newer, renamed } = withoutNewerWords(
    source.units.map((path) => String(source.files[path] ?? '')),
  );
  const texts = withRightConstants(withMatchingChoices(newer));
  for (const [name, other] of renamed)
    context.log('scan', `note: ${name} is a reserved word of VHDL-2008: it is renamed to ${other}`);
  const entities = texts.flatMap(vhdlEntities);
  const parts = new Set(texts.flatMap(vhdlPartsOnly));
  const wholes = entities.filter((name) => !parts.has(name));
  const roots = vhdlRoots(texts, entities);
  if (parts.size > 0 && wholes.length > 0)
    context.log(
      'scan',
      `note: ${[...parts].join(', ')} can only be built as part of another entity: a generic has no default`,
    );
  const wanted =
    top === undefined
      ? undefined
      : entities.find((name) => name === (renamed.get(top.toLowerCase()) ?? top.toLowerCase()));
  const findings = new Findings(source.diagnostics);
  context.log('scan', `${ghdl.version}: reading ${source.units.map(reportedName).join(', ')}`);
  const untried = untriedGhdl(ghdl.version);
  if (untried) context.log('scan', `warning: ${untried}`);
  return withTemporaryFolder(async (folder) => {
    for (const [n, unit] of source.units.entries()) {
      await mkdir(path.dirname(path.join(folder, unit)), { recursive: true });
      await writeFile(path.join(folder, unit), texts[n] ?? '');
    }
    const read = async (entity: string | undefined, most: MemoryCapacity) => {
      const lines: Parameters<ToolContext['log']>[] = [];
      const own = {
        ...context,
        log: (...line: (typeof lines)[number]) => {
          lines.push(line);
          context.log(...line);
        },
      };
      const known = most === null ? done.get(entity ?? '') : undefined;
      for (const line of known?.lines ?? []) context.log(...line);
      findings.addAll(known?.findings ?? []);
      if (known) return known.modules;
      const before = findings.all.length;
      const modules = await readEntity(
        { ghdl, sandbox, clock, folder, source, texts, entity, context: own, findings },
        most,
      );
      if (most === null) done.set(entity ?? '', { modules, findings: findings.all.slice(before), lines });
      return modules;
    };
    const modules = new Map<string, ReadModule>();
    const sources = { units: source.units, texts };
    const defects: Unbuilt[] = [];
    const candidates = ([wholes, roots].find(({ length }) => length > 0) ?? entities).toReversed();
    // From the last on: it usually contains the others, and GHDL reads those with it.
    const tops = wanted === undefined ? candidates : [wanted];
    for (const entity of tops) {
      if (modules.has(entity) || hasVariant(entity, modules, entities)) continue;
      // With several tops the slave may not need this one: its memories are not checked.
      const made = await read(entity, tops.length === 1 ? capacity : null).catch((error: unknown) => {
        if (!(error instanceof GhdlDefect)) throw error;
        const version = /^GHDL [\d.]+/.exec(ghdl.version)?.[0] ?? 'GHDL';
        const defect = metDefect(sources, entity, version, error.message);
        if (tops.length === 1) throw unreadable([defect.error], [defect.error, ...findings.all], context);
        defects.push(defect);
        return [];
      });
      // As a part, an entity has its ports in lower case, and the entity around it uses these names.
      for (const one of made) {
        const { name } = one.module;
        if (name === entity && modules.has(name)) continue;
        // The name with capitals comes from reading the entity by itself, before another entity needed it.
        for (const other of [...modules.keys()])
          if (other !== name && other.toLowerCase() === name) modules.delete(other);
        modules.set(name, one);
      }
    }
    // No entity was recognised: GHDL reports the error, or finds the entity.
    if (entities.length === 0)
      for (const one of await read(undefined, null)) modules.set(one.module.name, one);
    // A component without an entity is empty. Where both languages have a module, the one in Verilog counts.
    for (const [name, { module }] of [...modules])
      if (
        module.self === null ||
        isUnbound(name, findings.all) ||
        source.verilog?.modules.has(name.toLowerCase())
      )
        modules.delete(name);
    // Remove entities that were read by themselves before another one contained them.
    if (wanted === undefined)
      for (const name of [...modules.keys()])
        if (hasVariant(name, modules, entities) && !isWithin(name, netlistsOf(modules))) modules.delete(name);
    const file = `${reportedName(source.units.at(-1) ?? 'design').replace(/^.*\/|\.[^.]*$/g, '')}_vhdl.il`;
    return {
      ...source,
      unbuilt: [
        ...defects,
        ...(wanted === undefined
          ? withoutValues(
              sources,
              roots.filter((name) => parts.has(name)),
              modules,
            )
          : []),
      ],
      files: { [file]: writeDesign(modules, { entities, texts, context, findings }) },
      units: [],
      netlists: [file],
      diagnostics: [...findings.all],
    };
  });
}

const netlistsOf = (modules: ReadonlyMap<string, ReadModule>): NetlistModule[] =>
  [...modules.values()].map(({ module }) => module);

/** Writes all modules as RTLIL. @throws design_invalid for gates that Yosys's form cannot express */
function writeDesign(
  modules: ReadonlyMap<string, ReadModule>,
  {
    entities,
    texts,
    context,
    findings,
  }: Pick<Translation, 'texts' | 'context' | 'findings'> & { entities: readonly string[] },
): string {
  const own = ownNames(modules.keys(), entities);
  const ranges = generateRanges(texts);
  const lowBounds = new Map(texts.flatMap(vhdlLowBounds));
  const nameOf = (name: string) => own.get(name) ?? name;
  const written = [...modules.values()].map(({ module, ...netlist }) =>
    writeModule(module, { ...netlist, ranges, lowBounds, nameOf }),
  );
  const found = written
    .flatMap(({ diagnostics }) => diagnostics)
    .map((one) => ({ ...one, ...(one.file !== undefined && { file: reportedName(one.file) }) }));
  const errors = errorsOf(found);
  for (const warning of found)
    if (warning.severity !== 'error') {
      findings.add(warning);
      context.log('scan', diagnosticLine(warning));
    }
  if (errors.length > 0) throw unreadable(errors, [...errors, ...findings.all], context);
  return written.map(({ text }) => text).join('');
}

const tooLarge = (memory: Diagnostic, found: readonly Diagnostic[]): BenchError =>
  toolchainError('build_too_large', {
    message: headline(memory, 1),
    remedy:
      'Declare it as one array of words. Read and write it in a clocked process, one whole word at a time, each with one address. Or make it smaller.',
    diagnostics: causeFirst([memory, ...found]),
  });

/**
 * Reads one entity with everything below it.
 * @param capacity of the part, for a check of the memories; null: no check
 */
async function readEntity(translation: Translation, capacity: MemoryCapacity): Promise<ReadModule[]> {
  // The first run has logged everything already.
  const quiet = {
    ...translation,
    context: { ...translation.context, log: () => {} },
    findings: new Findings(),
  };
  let memories = true;
  // GHDL 2 fails on some memories that a reset clears, and gives some parts of a record a wrong width. No part has such
  // memories: they become registers.
  const withoutMemories = async () => {
    memories = false;
    return parseNetlist(await runGhdl(quiet, 'dump', memories));
  };
  let read = await runGhdl(translation, 'dump')
    .then(parseNetlist)
    .catch((error: unknown) => {
      if (!(error instanceof GhdlDefect)) throw error;
      return withoutMemories();
    });
  if (memories && read.some(hasMixedWidths)) read = await withoutMemories();
  const { source, texts } = translation;
  const byPath = new Map(source.units.map((unit, n) => [unit, texts[n] ?? '']));
  const netlist = withSourceWords(withEdgesAsClocks(read), byPath);
  const named = new Map(source.units.map((unit, n) => [reportedName(unit), texts[n] ?? '']));
  for (const warning of lostBits(netlist, named)) {
    translation.findings.add(warning);
    translation.context.log('scan', diagnosticLine(warning));
  }
  const tooMany = tooManyRegisters(netlist, capacity, source);
  if (tooMany) throw tooLarge(tooMany, translation.findings.all);
  const verilog = hasGenerics(netlist) ? await runGhdl(quiet, 'verilog', memories) : null;
  const around = {
    modules: new Map(netlist.map((module) => [module.name, module])),
    generics: genericValues(netlist, verilog),
  };
  return netlist.map((module) => ({ module, ...around }));
}
