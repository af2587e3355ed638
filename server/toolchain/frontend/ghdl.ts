import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { causeFirst, Findings } from '../diagnostics/findings.ts';
import { headline } from '../diagnostics/text.ts';
import { type ConfiguredPaths, findExecutable } from '../native/executables.ts';
import { plainEnvironment, runTool } from '../native/run-tool.ts';
import type { FoundSandbox } from '../sandbox/bubblewrap.ts';
import type { PreparedDesign, Unbuilt } from '../scan/prepared-design.ts';
import { reportedName } from '../scan/tool-paths.ts';
import { vhdlEntities, vhdlPartsOnly } from '../scan/vhdl.ts';
import type { MemoryCapacity } from '../slave/memories.ts';
import type { ToolContext } from '../toolchain.ts';
import { languageOfWord, withoutForeignWords } from './foreign-words.ts';
import { lacksDefaults, withDefaults } from './ghdl-case-default.ts';
import { edgesAsValues } from './ghdl-edges.ts';
import {
  hasVariant,
  isUnbound,
  isWithin,
  splitModules,
  underOwnNames,
  withOwnLine,
  withoutEmptyValues,
  withSourceLines,
} from './ghdl-modules.ts';
import { tooManyRegisters } from './ghdl-registers.ts';
import {
  type Ghdl,
  GhdlDefect,
  type GhdlHost,
  MEMORY,
  runGhdl,
  type Translation,
  untranslatable,
} from './ghdl-run.ts';
import { metDefect, withoutValues } from './ghdl-unbuilt.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/** GHDL on this machine, or null. */
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

/** What an entity came to, with what GHDL said on the way. */
interface Done {
  verilog: string;
  findings: readonly Diagnostic[];
  lines: readonly Parameters<ToolContext['log']>[];
}

/** Entities that were translated, by name. GHDL reads what an entity needs and nothing else: of other sources it does not depend. */
export type TranslatedEntities = Map<string, Done>;

/** What a translation is for. */
export interface VhdlGoal {
  /** The entity that is to be built; undefined where that is to be found. */
  top: string | undefined;
  /** What the part can keep. */
  capacity: MemoryCapacity;
  /** Kept from one translation to the next of the same sources, where some are left out. */
  done?: TranslatedEntities;
}

/** Why a design in VHDL cannot be built: without GHDL, or without a sandbox where the operator wants one. */
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
      message: `A design in VHDL can open files while it is translated, so GHDL runs in a sandbox only, and there is none: ${sandbox.reason}.`,
    });
  return null;
}

/**
 * Translates a VHDL design to Verilog with `ghdl --synth`, every entity that no other one contains, so that the
 * scan sees all candidates. Lines of the result point back to the VHDL source.
 * @throws design_invalid with the messages of GHDL; build_too_large for a memory that it makes registers of; tool_deadline, tool_memory, tool_crashed, build_aborted
 */
export async function vhdlToVerilog(
  { ghdl, sandbox, clock }: GhdlHost,
  source: PreparedDesign,
  { top, capacity, done = new Map() }: VhdlGoal,
  context: ToolContext,
): Promise<PreparedDesign> {
  const { texts, renamed } = withoutForeignWords(
    source.units.map((path) => String(source.files[path] ?? '')),
  );
  for (const [name, other] of renamed)
    context.log('scan', `note: ${name} is a word of ${languageOfWord(name)}: here it is called ${other}`);
  const entities = texts.flatMap(vhdlEntities);
  const parts = new Set(texts.flatMap(vhdlPartsOnly));
  const wholes = entities.filter((name) => !parts.has(name));
  if (parts.size > 0 && wholes.length > 0)
    context.log(
      'scan',
      `note: ${[...parts].join(', ')} can only be built within others: a generic has no default`,
    );
  const wanted =
    top === undefined
      ? undefined
      : entities.find((name) => name === (renamed.get(top.toLowerCase()) ?? top.toLowerCase()));
  const findings = new Findings(source.diagnostics);
  context.log('scan', `${ghdl.version}: translating ${source.units.map(reportedName).join(', ')} to Verilog`);
  return withTemporaryFolder(async (folder) => {
    for (const [n, unit] of source.units.entries()) {
      await mkdir(path.dirname(path.join(folder, unit)), { recursive: true });
      await writeFile(path.join(folder, unit), texts[n] ?? '');
    }
    const translate = async (entity: string | undefined, most: MemoryCapacity) => {
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
      if (known) return known.verilog;
      const before = findings.all.length;
      const verilog = await translateEntity(
        { ghdl, sandbox, clock, folder, source, texts, entity, context: own, findings },
        most,
      );
      if (most === null) done.set(entity ?? '', { verilog, findings: findings.all.slice(before), lines });
      return verilog;
    };
    const modules = new Map<string, string>();
    const given = { units: source.units, texts };
    const defects: Unbuilt[] = [];
    const file = `${reportedName(source.units.at(-1) ?? 'design').replace(/^.*\/|\.[^.]*$/g, '')}_vhdl.v`;
    const candidates = (wholes.length > 0 ? wholes : entities).toReversed();
    // From the last on: that is mostly the one which contains the others, and GHDL translates those with it.
    const tops = wanted === undefined ? candidates : [wanted];
    for (const entity of tops) {
      if (modules.has(entity) || hasVariant(entity, modules, entities)) continue;
      // Of several the slave may need nothing of this one.
      const verilog = await translate(entity, tops.length === 1 ? capacity : null).catch((error: unknown) => {
        if (!(error instanceof GhdlDefect)) throw error;
        const met = metDefect(given, entity, /^GHDL [\d.]+/.exec(ghdl.version)?.[0] ?? 'GHDL');
        if (tops.length === 1) throw untranslatable([met.error], [met.error, ...findings.all], context);
        defects.push(met);
        return '';
      });
      const modulesOf = splitModules(withoutEmptyValues(verilog));
      // As a part of another one an entity has its ports in lower case, and that is how the other one names them.
      for (const [name, text] of modulesOf) {
        if (name === entity && modules.has(name)) continue;
        // Its own name it has only where it was translated by itself, before another one turned out to need it.
        for (const other of [...modules.keys()])
          if (other !== name && other.toLowerCase() === name) modules.delete(other);
        modules.set(name, text);
      }
    }
    // No entity was recognised: GHDL says what is wrong, or finds what was overlooked.
    if (entities.length === 0)
      for (const [name, text] of splitModules(await translate(undefined, null))) modules.set(name, text);
    // The one of a component that is nowhere is empty; of two that are in both languages the one in Verilog is meant.
    for (const name of modules.keys())
      if (isUnbound(name, findings.all) || source.verilog?.modules.has(name.toLowerCase()))
        modules.delete(name);
    // One that was translated by itself before another turned out to have it within.
    if (wanted === undefined)
      for (const name of [...modules.keys()])
        if (hasVariant(name, modules, entities) && !isWithin(name, modules)) modules.delete(name);
    return {
      ...source,
      language: 'verilog',
      unbuilt: [...defects, ...(wanted === undefined ? withoutValues(given, parts, modules) : [])],
      files: {
        [file]: withSourceLines(
          [...underOwnNames(modules, entities)].map(withOwnLine(source.units, texts)).join('\n'),
        ),
      },
      units: [file],
      diagnostics: [...findings.all],
    };
  });
}

const tooLarge = (memory: Diagnostic, found: readonly Diagnostic[]): BenchError =>
  toolchainError('build_too_large', {
    message: headline(memory, 1),
    remedy:
      'Declare it as one array of words, read it and write it in a clocked process, a whole word at a time with one address each, or make it smaller.',
    diagnostics: causeFirst([memory, ...found]),
  });

/**
 * One entity in Verilog, with all that is within it.
 * @param capacity what the part can keep, which is looked at; null: it is not
 */
async function translateEntity(translation: Translation, capacity: MemoryCapacity): Promise<string> {
  // What it has to say it has said in the first run.
  const quiet = {
    ...translation,
    context: { ...translation.context, log: () => {} },
    findings: new Findings(),
  };
  let memories = true;
  const verilog = await runGhdl(translation, 'verilog').catch((error: unknown) => {
    if (!(error instanceof GhdlDefect)) throw error;
    // GHDL 2 fails on some memories that a reset clears. No part has such: they come to registers.
    memories = false;
    return runGhdl(quiet, 'verilog', memories);
  });
  const edges = edgesAsValues(verilog);
  if (edges.length > 0)
    throw untranslatable(edges, [...edges, ...translation.findings.all], translation.context);
  const tooMany = tooManyRegisters(verilog, capacity, translation.source);
  if (tooMany) throw tooLarge(tooMany, translation.findings.all);
  if (!lacksDefaults(verilog)) return verilog;
  const repaired = withDefaults(verilog, await runGhdl(quiet, 'vhdl', memories));
  if (repaired === null)
    throw toolchainError('tool_failed', {
      message: `${translation.ghdl.version} loses the others branch of a case statement of this design.`,
      remedy: 'Install GHDL 3 or newer, or give the case statement a branch for every value.',
      diagnostics: causeFirst(translation.findings.all),
    });
  return repaired;
}
