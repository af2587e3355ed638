import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { type ChildResult, runChild } from '../native/child.ts';
import { type ConfiguredPaths, findExecutable, installationOf } from '../native/executables.ts';
import type { Sandbox } from '../sandbox/bubblewrap.ts';
import { diagnosticLine, parseToolLine } from '../scan/diagnostics.ts';
import type { PreparedSource } from '../scan/source.ts';
import { vhdlEntities } from '../scan/vhdl.ts';
import type { BuildContext } from '../toolchain.ts';
import { lacksDefaults, withDefaults } from './ghdl-case-default.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

export interface Ghdl {
  path: string;
  version: string;
}

const DEADLINE = 60;
const MEMORY = 2 ** 30;
/** Bytes of Verilog that are taken from GHDL; the largest sensible design stays far below. */
const MOST_OUTPUT = 64 * 2 ** 20;

/** GHDL on this machine, or null. */
export async function findGhdl(paths: ConfiguredPaths = {}): Promise<Ghdl | null> {
  const file = await findExecutable('ghdl', paths);
  if (file === null) return null;
  const lines: string[] = [];
  await runChild({
    command: file,
    args: ['--version'],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    deadline: 10,
    memoryLimit: MEMORY,
    onLine: (line) => lines.push(line),
  }).catch(() => {});
  return { path: file, version: lines[0] ?? 'GHDL' };
}

/**
 * Translates a VHDL design to Verilog with `ghdl --synth`, every entity that no other one contains, so that the
 * scan sees all candidates. Lines of the result point back to the VHDL source.
 * @throws design_invalid with the messages of GHDL; tool_deadline, tool_memory, tool_crashed, build_aborted
 */
export async function vhdlToVerilog(
  ghdl: Ghdl,
  sandbox: Sandbox | null,
  source: PreparedSource,
  top: string | undefined,
  context: BuildContext,
): Promise<PreparedSource> {
  const entities = vhdlEntities(source.text);
  const wanted = top === undefined ? undefined : entities.find((name) => name === top.toLowerCase());
  context.log('scan', `${ghdl.version}: translating ${source.filename} to Verilog`);
  return withTemporaryFolder(async (folder) => {
    await writeFile(path.join(folder, source.filename), source.text);
    const translate = (entity: string | undefined) =>
      translateEntity({ ghdl, sandbox, folder, filename: source.filename, entity, context });
    const modules = new Map<string, string>();
    // From the last on: that is mostly the one which contains the others, and GHDL translates those with it.
    for (const entity of wanted === undefined ? entities.toReversed() : [wanted]) {
      if (modules.has(entity)) continue;
      for (const [name, text] of splitModules(await translate(entity)))
        if (!modules.has(name)) modules.set(name, text);
    }
    // No entity was recognised: GHDL says what is wrong, or finds what was overlooked.
    if (entities.length === 0)
      for (const [name, text] of splitModules(await translate(undefined))) modules.set(name, text);
    return {
      ...source,
      filename: `${source.filename.replace(/\.[^.]*$/, '')}_vhdl.v`,
      language: 'verilog',
      text: withSourceLines([...modules.values()].join('\n'), source.filename),
    };
  });
}

/** What one run of GHDL is about. */
interface Translation {
  ghdl: Ghdl;
  sandbox: Sandbox | null;
  folder: string;
  filename: string;
  /** Undefined: the one that nothing else contains. */
  entity: string | undefined;
  context: BuildContext;
}

async function translateEntity(translation: Translation): Promise<string> {
  const verilog = await runGhdl(translation, 'verilog');
  if (!lacksDefaults(verilog)) return verilog;
  // What it has to say it has said in the first run.
  const quiet = { ...translation, context: { ...translation.context, log: () => {} } };
  const repaired = withDefaults(verilog, await runGhdl(quiet, 'vhdl'));
  if (repaired === null)
    throw toolchainError('tool_failed', {
      message: `${translation.ghdl.version} loses the others branch of a case statement of this design.`,
      remedy: 'Install GHDL 3 or newer, or give the case statement a branch for every value.',
    });
  return repaired;
}

async function runGhdl(
  { ghdl, sandbox, folder, filename, entity, context }: Translation,
  format: 'verilog' | 'vhdl',
): Promise<string> {
  const args = ['--synth', '--std=08', `--out=${format}`, filename, '-e', ...(entity ? [entity] : [])];
  const confined = sandbox?.wrap({
    command: ghdl.path,
    args,
    folder,
    writable: false,
    show: [await installationOf(ghdl.path)],
    env: {},
    limits: { memory: 2 * MEMORY, cpu: DEADLINE, file: MOST_OUTPUT, processes: 32 },
  });
  const diagnostics: Diagnostic[] = [];
  const result = await runChild({
    ...(confined ?? { command: ghdl.path, args }),
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    deadline: DEADLINE,
    memoryLimit: MEMORY,
    captureOutput: { limit: MOST_OUTPUT },
    onLine(line) {
      const diagnostic = ghdlMessage(line, filename);
      if (!diagnostic) return;
      if (diagnostic.severity === 'error') diagnostics.push(diagnostic);
      context.log('scan', diagnosticLine(diagnostic));
    },
    ...(context.signal && { signal: context.signal }),
  });
  rejectUnlessDone(result, 'ghdl', DEADLINE);
  const text = result.output.toString();
  if (result.end.kind === 'exit' && result.end.code === 0 && diagnostics.length === 0) return text;
  const [first] = diagnostics;
  const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : '';
  throw toolchainError('design_invalid', {
    message: first
      ? `${first.file}${first.line ? `:${first.line}` : ''}: ${first.message}${more}`
      : 'GHDL could not translate the design.',
    diagnostics: diagnostics.slice(0, 20),
  });
}

/** Turns an end that is not the program's own into an error. */
export function rejectUnlessDone({ end }: ChildResult, tool: string, deadline: number): void {
  switch (end.kind) {
    case 'exit':
      return;
    case 'aborted':
      throw toolchainError('build_aborted');
    case 'deadline':
      throw toolchainError('tool_deadline', { message: `${tool} was ended after ${deadline} s.` });
    case 'memory':
      throw toolchainError('tool_memory', { message: `${tool} needed more memory than it may use.` });
    case 'output':
      throw toolchainError('tool_failed', { message: `${tool} printed more than a design can be.` });
    case 'signal':
      throw toolchainError('tool_crashed', { message: `${tool} crashed on this design (${end.signal}).` });
  }
}

/** A message of GHDL; the source lines and carets that it prints below are left out, as are its notes. */
function ghdlMessage(line: string, filename: string): Diagnostic | null {
  if (/:note: /.test(line)) return null;
  const bare = /^(?:\S*ghdl\S*:)(?:(error|warning):)? ?(.*)$/.exec(line);
  if (bare)
    return {
      severity: bare[1] === 'warning' ? 'warning' : 'error',
      file: filename,
      code: bare[1] === 'warning' ? 'ghdl_warning' : 'ghdl_error',
      message: bare[2] ?? '',
    };
  return parseToolLine(line, filename);
}

/** Verilog text → its modules by name, each with its own text. */
function splitModules(text: string): Map<string, string> {
  const modules = new Map<string, string>();
  for (const [module, name = ''] of text.matchAll(/^module\s+(\S+)[\s\S]*?^endmodule\b/gm))
    modules.set(name, module);
  return modules;
}

/** GHDL notes the place of each statement in a comment; as `line directives they reach every message. */
const withSourceLines = (text: string, filename: string): string =>
  `${text.replace(/^ *\/\* *\S+?:(\d+):\d+ *\*\/$/gm, (_, line: string) => `\`line ${line} "${filename}" 0`)}\n`;
