import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { causeFirst, errorsOf, Findings, withFindings } from '../diagnostics/findings.ts';
import { diagnosticLine, headline, placed } from '../diagnostics/text.ts';
import { toolMessage } from '../diagnostics/tool-message.ts';
import { type ConfiguredPaths, findExecutable, installationOf } from '../native/executables.ts';
import { plainEnvironment, rejectUnlessExited, runTool } from '../native/run-tool.ts';
import type { FoundSandbox, Sandbox } from '../sandbox/bubblewrap.ts';
import type { MemoryCapacity } from '../scan/memories.ts';
import type { PreparedDesign } from '../scan/prepared-design.ts';
import { vhdlTooDeep } from '../scan/too-deep.ts';
import { reportedName } from '../scan/tool-paths.ts';
import { vhdlEntities, vhdlPartsOnly } from '../scan/vhdl.ts';
import { vhdlInPlainWords } from '../scan/vhdl-words.ts';
import type { ToolContext } from '../toolchain.ts';
import { languageOfWord, withoutForeignWords } from './foreign-words.ts';
import { lacksDefaults, withDefaults } from './ghdl-case-default.ts';
import { edgesAsValues } from './ghdl-edges.ts';
import {
  hasVariant,
  isUnbound,
  isWithin,
  splitModules,
  withOwnLine,
  withSourceLines,
} from './ghdl-modules.ts';
import { tooManyRegisters } from './ghdl-registers.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

export interface Ghdl {
  path: string;
  version: string;
}

const DEADLINE = 60;
const MEMORY = 2 ** 30;
/** Bytes of Verilog that are taken from GHDL; the largest sensible design stays far below. */
const MOST_OUTPUT = 64 * 2 ** 20;

/**
 * What many sources need: the packages of Synopsys in the library `ieee`, and rules of VHDL-93, such as shared variables
 * that are not protected.
 */
const LENIENT = ['-fsynopsys', '-frelaxed'];

/** What GHDL says where its stack has ended, between other lines about itself. */
const OUT_OF_STACK = /\bSTORAGE_ERROR\b/;

/**
 * Runs a command with `cat` behind its output, and ends as it ends. GHDL writes each name and each mark by a call of its own,
 * hundreds of thousands of them: into a pipe that costs a fifth of what it does into the socket that Node has for a child.
 */
const THROUGH_PIPE = 'exec 3>&1; status=$( { { "$@" 3>&-; echo $? >&4; } | cat >&3; } 4>&1 ); exit "$status"';

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

/** What GHDL runs with. */
export interface GhdlHost {
  ghdl: Ghdl;
  /** Null: it runs as the service's user. */
  sandbox: Sandbox | null;
  clock: Clock;
}

/** What a translation is for. */
export interface VhdlGoal {
  /** The entity that is to be built; undefined where that is to be found. */
  top: string | undefined;
  /** What the part can keep. */
  capacity: MemoryCapacity;
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
  { top, capacity }: VhdlGoal,
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
    const translate = (entity: string | undefined, most: MemoryCapacity) =>
      translateEntity({
        ghdl,
        sandbox,
        clock,
        folder,
        source,
        texts,
        entity,
        capacity: most,
        context,
        findings,
      });
    const modules = new Map<string, string>();
    const file = `${reportedName(source.units.at(-1) ?? 'design').replace(/^.*\/|\.[^.]*$/g, '')}_vhdl.v`;
    const candidates = (wholes.length > 0 ? wholes : entities).toReversed();
    // From the last on: that is mostly the one which contains the others, and GHDL translates those with it.
    const tops = wanted === undefined ? candidates : [wanted];
    for (const entity of tops) {
      if (modules.has(entity) || hasVariant(entity, modules, entities)) continue;
      // Of several the slave may need nothing of this one.
      const modulesOf = splitModules(await translate(entity, tops.length === 1 ? capacity : null));
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
    for (const name of modules.keys()) if (isUnbound(name, findings.all)) modules.delete(name);
    // One that was translated by itself before another turned out to have it within.
    if (wanted === undefined)
      for (const name of [...modules.keys()])
        if (hasVariant(name, modules, entities) && !isWithin(name, modules)) modules.delete(name);
    return {
      ...source,
      language: 'verilog',
      files: { [file]: withSourceLines([...modules].map(withOwnLine(source.units, texts)).join('\n')) },
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

/** What one run of GHDL is about. */
interface Translation extends GhdlHost {
  folder: string;
  source: PreparedDesign;
  /** What GHDL is given of each unit. */
  texts: readonly string[];
  /** Undefined: the one that nothing else contains. */
  entity: string | undefined;
  /** What the part can keep, which is looked at; null: it is not. */
  capacity: MemoryCapacity;
  context: ToolContext;
  /** Of all runs together. */
  findings: Findings;
}

async function translateEntity(translation: Translation): Promise<string> {
  const verilog = await runGhdl(translation, 'verilog');
  const edges = edgesAsValues(verilog);
  if (edges.length > 0)
    throw untranslatable(edges, [...edges, ...translation.findings.all], translation.context);
  const tooMany = tooManyRegisters(verilog, translation.capacity, translation.source);
  if (tooMany) throw tooLarge(tooMany, translation.findings.all);
  if (!lacksDefaults(verilog)) return verilog;
  // What it has to say it has said in the first run.
  const quiet = {
    ...translation,
    context: { ...translation.context, log: () => {} },
    findings: new Findings(),
  };
  const repaired = withDefaults(verilog, await runGhdl(quiet, 'vhdl'));
  if (repaired === null)
    throw toolchainError('tool_failed', {
      message: `${translation.ghdl.version} loses the others branch of a case statement of this design.`,
      remedy: 'Install GHDL 3 or newer, or give the case statement a branch for every value.',
      diagnostics: causeFirst(translation.findings.all),
    });
  return repaired;
}

async function runGhdl(
  { ghdl, sandbox, clock, folder, source, texts, entity, context, findings }: Translation,
  format: 'verilog' | 'vhdl',
): Promise<string> {
  const args = [
    '--synth',
    '--std=08',
    // Assertions are for simulation: Yosys refuses the `$fatal` that each would come out as.
    '--no-formal',
    ...LENIENT,
    `--out=${format}`,
    ...source.units,
    '-e',
    ...(entity ? [entity] : []),
  ];
  const confined = sandbox?.wrap({
    command: '/bin/sh',
    args: ['-c', THROUGH_PIPE, 'sh', ghdl.path, ...args],
    folder,
    writable: false,
    show: [await installationOf(ghdl.path)],
    env: {},
    limits: { memory: 2 * MEMORY, cpu: DEADLINE, file: MOST_OUTPUT, processes: 32 },
  });
  let outOfStack = false;
  const { end, output } = await runTool({
    ...(confined ?? { command: ghdl.path, args }),
    cwd: folder,
    env: { ...plainEnvironment(), HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    clock,
    deadline: DEADLINE,
    limits: { memory: MEMORY, output: MOST_OUTPUT },
    onLine(line) {
      outOfStack ||= OUT_OF_STACK.test(line);
      const finding = toolMessage(line, 'ghdl', source.uploaded);
      if (!finding) return;
      findings.add(finding);
      if (finding.severity !== 'error') context.log('scan', diagnosticLine(finding));
    },
    ...(context.signal && { signal: context.signal }),
  });
  try {
    rejectUnlessExited(end, 'ghdl', DEADLINE);
  } catch (error) {
    throw withFindings(error, findings.all);
  }
  const deep = outOfStack ? vhdlTooDeep(source) : null;
  if (deep) findings.add(deep);
  else if (outOfStack)
    throw toolchainError('tool_crashed', {
      message: 'ghdl crashed on this design (it ran out of stack).',
      diagnostics: causeFirst(findings.all),
    });
  if (end.code === 0 && errorsOf(findings.all).length === 0) return output.toString();
  const given = new Map(source.units.map((unit, n) => [reportedName(unit), texts[n] ?? '']));
  const plain = vhdlInPlainWords(findings.all, given);
  for (const raw of errorsOf(findings.all))
    if (!plain.includes(raw)) context.log('scan', `ghdl: ${placed(raw)}`);
  throw untranslatable(errorsOf(plain), plain, context);
}

/** What is wrong, which the log says as well. @param found that too, and what else was found */
function untranslatable(
  errors: readonly Diagnostic[],
  found: readonly Diagnostic[],
  context: ToolContext,
): BenchError {
  for (const error of errors) context.log('scan', diagnosticLine(error));
  const [first] = errors;
  return toolchainError('design_invalid', {
    message: first ? headline(first, errors.length) : 'GHDL could not translate the design.',
    diagnostics: causeFirst(found),
  });
}
