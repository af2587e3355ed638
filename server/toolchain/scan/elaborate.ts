import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { cameToNoEnd, errorsOf, Findings, withFindings } from '../diagnostics/findings.ts';
import { placed } from '../diagnostics/text.ts';
import { toolMessage } from '../diagnostics/tool-message.ts';
import type { ToolContext, ToolEngine } from '../toolchain.ts';
import { inTime } from './in-time.ts';
import { interfaceFindings } from './interface-findings.ts';
import { languageOfName } from './language.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { inPlainWords } from './syntax-errors.ts';
import { reportedName } from './tool-paths.ts';

const OUTPUT = 'scan.il';

/**
 * The commands by which Yosys reads a prepared design: its sources in Verilog, and its netlists.
 * @param options of the reader of Verilog, each with a space behind it
 */
export const readCommands = (
  {
    units,
    netlists = [],
    edition,
    language,
  }: Pick<PreparedDesign, 'units' | 'netlists' | 'edition' | 'language'>,
  options = '',
): string[] => [
  ...units.map((path) => {
    const read = edition ?? languageOfName(path) ?? language;
    return `read_verilog ${options}${read === 'systemverilog' ? '-sv ' : ''}${path}`;
  }),
  ...netlists.map((path) => `${path.endsWith('.json') ? 'read_json' : 'read_rtlil'} ${path}`),
];

/**
 * The Yosys script of the scan. Every module is elaborated with the default values of its parameters, and the
 * netlist is written as it is: no process is converted, no memory expanded, so that the time is that of reading.
 * @param keepMemories leave memories alone even where Yosys would make registers of them while it reads: minutes,
 *   for a large one with a reset. Designs that assign an array inside a combinational process need them made.
 * @param top makes the modules below it as they are instantiated, and leaves out the others
 * @param parseOnly elaborates nothing
 */
const scanScript = (source: PreparedDesign, { keepMemories = true, top, parseOnly }: ScriptOptions): string =>
  [
    ...readCommands(source, `${parseOnly ? '-defer ' : ''}${keepMemories ? '-nomem2reg ' : ''}`),
    ...(top === undefined ? [] : [`hierarchy -top ${top}`]),
    `write_rtlil ${OUTPUT}`,
  ].join('; ');

interface ScriptOptions {
  keepMemories?: boolean | undefined;
  top?: string | undefined;
  parseOnly?: boolean;
}

/** What Yosys says of an array that it would have to make registers of. */
const NEEDS_REGISTERS = /does map to an unexpanded memory/;

const DEFINED_TWICE = /^module \S+ is defined a second time: /;

export interface Reading {
  /** Null when the source could not be read. */
  rtlil: Uint8Array | null;
  diagnostics: readonly Diagnostic[];
}

/**
 * Runs Yosys on the source, and once more with the other edition of the language when that fails. What it finds wrong
 * is in its own words: see inPlainLanguage.
 * @param deadline seconds of each run
 * @param top reads the modules below this one as they are instantiated, too
 */
export async function elaborate(
  source: PreparedDesign,
  engine: ToolEngine,
  context: ToolContext,
  deadline: number,
  top?: string,
): Promise<Reading & { source: PreparedDesign }> {
  const first = await readAs(source, engine, context, deadline, top);
  // Which edition comes farther is known where one is said, and Verilog alone has several.
  const settled = source.edition ?? (/^(?:vhdl|amaranth)$/.test(source.language) ? source.language : null);
  if (first.rtlil !== null || settled !== null) return first;
  // A module that is there twice is so in every edition.
  if (errorsOf(first.diagnostics).some(({ message }) => DEFINED_TWICE.test(message))) return first;
  // Verilog 2001 may use words of SystemVerilog as names; and many .v files hold SystemVerilog.
  const plain = source.units.some((path) => (languageOfName(path) ?? source.language) === 'verilog');
  const other: PreparedDesign = { ...source, edition: plain ? 'systemverilog' : 'verilog' };
  const second = await readAs(other, engine, context, deadline, top);
  if (second.rtlil !== null) {
    context.log(
      'scan',
      `note: read as ${other.edition === 'verilog' ? 'Verilog 2005' : 'SystemVerilog'}, not as the ${source.units.length > 1 ? 'file names say' : 'file name says'}`,
    );
    return second;
  }
  // Whichever edition came farther understood more of the sources: its message is the telling one.
  const [firstReach, secondReach] = [first, second].map(({ diagnostics }) => reachOf(diagnostics, source));
  return (secondReach ?? 0) > (firstReach ?? 0) ? second : first;
}

/** A source as it was read, with what is to be known when it is read again. */
async function readAs(
  source: PreparedDesign,
  engine: ToolEngine,
  context: ToolContext,
  deadline: number,
  top: string | undefined,
): Promise<Reading & { source: PreparedDesign }> {
  const { inRegisters, ...reading } = await readOnce(source, engine, context, deadline, { top });
  return { source: inRegisters ? { ...source, inRegisters } : source, ...reading };
}

/** Lines that a source has at most. */
const MOST_LINES = 2 ** 32;

/** How far the tool came: sources are read one after the other. */
function reachOf(diagnostics: readonly Diagnostic[], { units }: PreparedDesign): number {
  const [error] = errorsOf(diagnostics);
  const unit = units.findIndex((path) => reportedName(path) === error?.file);
  return Math.max(unit, 0) * MOST_LINES + (error?.line ?? 0);
}

/** Seconds of one parse that shows whether something is missing. */
const TRIED = 2;

/** What was found wrong, with syntax errors in plain words; those of Yosys go to the log. */
export async function inPlainLanguage(
  { source, diagnostics }: Reading & { source: PreparedDesign },
  engine: ToolEngine,
  context: ToolContext,
): Promise<Diagnostic[]> {
  const errorsIn = async (other: PreparedDesign) => {
    try {
      return errorsOf((await readOnce(other, engine, context, TRIED, { parseOnly: true })).diagnostics);
    } catch (error) {
      if (cameToNoEnd(error)) return null;
      throw error;
    }
  };
  const all: Diagnostic[] = [];
  for (const finding of diagnostics) {
    const plain = await inPlainWords(finding, source, errorsIn);
    if (plain) context.log('scan', `yosys: ${placed(finding)}`);
    all.push(plain ?? finding);
  }
  return all;
}

/**
 * The modules below `top` as they are instantiated, with the parameters that are given them there. Null where they cannot
 * be made, or not in time: what is wrong then, synthesis says.
 * @param deadline seconds
 */
export async function elaborateBelow(
  top: string,
  source: PreparedDesign,
  engine: ToolEngine,
  context: ToolContext,
  deadline: number,
): Promise<Uint8Array | null> {
  // Others would have to be written in another way for Yosys.
  if (!/^[A-Za-z_]\w*$/.test(top)) return null;
  return (await inTime(readOnce(source, engine, context, deadline, { top })))?.rtlil ?? null;
}

/**
 * Whether the sources can be read in their edition of the language, as far as that can be told without elaborating anything.
 * @param deadline seconds
 */
export async function parses(
  source: PreparedDesign,
  engine: ToolEngine,
  context: ToolContext,
  deadline: number,
): Promise<boolean> {
  const parsed = await inTime(readOnce(source, engine, context, deadline, { parseOnly: true }));
  return parsed !== null && parsed.rtlil !== null;
}

/** Where a finding is that says no place: in the file, if there is one alone. */
const inOneFile = ({ uploaded: [file, ...others] }: PreparedDesign) =>
  file === undefined || others.length > 0 ? {} : { file };

async function readOnce(
  source: PreparedDesign,
  engine: ToolEngine,
  context: ToolContext,
  deadline: number,
  options: ScriptOptions = {},
): Promise<Reading & { inRegisters?: true }> {
  const keepMemories = source.inRegisters ? false : options.keepMemories;
  const findings = new Findings();
  const asItIs = interfaceFindings(source);
  try {
    const { files } = await engine.run({
      tool: 'yosys',
      args: ['-q', '-p', scanScript(source, { ...options, keepMemories })],
      files: { ...source.files },
      outputs: [OUTPUT],
      deadline,
      onLine(line) {
        const finding = toolMessage(line, 'yosys', source.uploaded);
        const told = finding && asItIs(finding);
        if (told) findings.add(told);
      },
      ...(context.signal && { signal: context.signal }),
    });
    const rtlil = files[OUTPUT];
    if (rtlil !== undefined) return { rtlil, diagnostics: findings.all };
  } catch (error) {
    if (!(error instanceof BenchError) || error.code !== 'tool_failed')
      throw withFindings(error, findings.all);
  }
  if (keepMemories !== false && findings.all.some(({ message }) => NEEDS_REGISTERS.test(message))) {
    const again = await readOnce(source, engine, context, deadline, { ...options, keepMemories: false });
    return { ...again, inRegisters: true };
  }
  if (errorsOf(findings.all).length === 0)
    findings.add({
      severity: 'error',
      code: 'yosys_error',
      ...inOneFile(source),
      message: 'Yosys could not read it',
    });
  return { rtlil: null, diagnostics: findings.all };
}
