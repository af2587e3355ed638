import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { runChild } from '../native/child.ts';
import { type ConfiguredPaths, findExecutable } from '../native/executables.ts';
import type { Sandbox } from '../sandbox/bubblewrap.ts';
import { diagnosticLine, parseToolLine } from '../scan/diagnostics.ts';
import type { PreparedSource } from '../scan/source.ts';
import type { BuildContext, ToolEngine } from '../toolchain.ts';
import { AMARANTH_HARNESS } from './amaranth-harness.ts';
import { rejectUnlessDone } from './ghdl.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/** A Python that can import amaranth. */
export interface AmaranthPython {
  /** The interpreter itself, not a shim in front of it. */
  path: string;
  version: string;
  /** Folders that it needs to see. */
  folders: string[];
  /** Its module search path. */
  searchPath: string[];
}

export interface AmaranthLimits {
  /** Seconds. */
  deadline: number;
  /** Bytes. */
  memory: number;
}

const LIMITS: AmaranthLimits = { deadline: 60, memory: 2 ** 30 };
const MOST_OUTPUT = 64 * 2 ** 20;

/** Asks an interpreter for what it needs; run outside the sandbox, since it touches no design. */
const QUESTION = `
import json, os, sys, platform
import amaranth
print(json.dumps({
  "path": os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable,
  "version": "Amaranth %s, Python %s" % (getattr(amaranth, "__version__", "unknown"), platform.python_version()),
  "folders": [sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))],
  "searchPath": [p for p in sys.path if p and os.path.isdir(p)],
}))
`;

/** A Python with amaranth on this machine, or null. */
export async function findAmaranth(paths: ConfiguredPaths = {}): Promise<AmaranthPython | null> {
  for (const name of ['python3', 'python']) {
    const file = await findExecutable(name, { ...(paths.python ? { [name]: paths.python } : {}) });
    if (file === null) continue;
    const { end, output } = await runChild({
      command: file,
      args: ['-c', QUESTION],
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', PYTHONDONTWRITEBYTECODE: '1' },
      deadline: 20,
      memoryLimit: LIMITS.memory,
      captureOutput: { limit: 64 * 1024 },
    }).catch(() => ({ end: { kind: 'exit', code: 1 } as const, output: Buffer.alloc(0) }));
    if (end.kind !== 'exit' || end.code !== 0) continue;
    try {
      return JSON.parse(output.toString()) as AmaranthPython;
    } catch {
      // It printed something else as well: no interpreter to rely on.
    }
  }
  return null;
}

/**
 * Runs a design written in Python in the sandbox and translates what comes out to Verilog.
 * @throws tool_missing without amaranth or without a sandbox; design_invalid with the design's own error
 */
export async function amaranthToVerilog(
  python: AmaranthPython | null,
  sandbox: Sandbox | { missing: string },
  source: PreparedSource,
  top: string | undefined,
  engine: ToolEngine,
  context: BuildContext,
  limits: AmaranthLimits = LIMITS,
): Promise<PreparedSource> {
  if ('missing' in sandbox)
    throw toolchainError('tool_missing', {
      message: `A design in Python is run only in a sandbox, and there is none: ${sandbox.missing}.`,
      remedy:
        'Install bubblewrap and util-linux on the machine of the service, or submit the Verilog that Amaranth makes of the design.',
    });
  if (python === null)
    throw toolchainError('tool_missing', {
      message: 'A design in Python needs Amaranth, which no Python on the PATH of the service can import.',
      remedy:
        'Install it with "pip install amaranth" for the python3 on the PATH of the service, or submit the Verilog that Amaranth makes of the design.',
    });
  context.log('scan', `${python.version}: running ${source.filename} in the sandbox (${sandbox.version})`);
  const rtlil = await withTemporaryFolder((folder) =>
    runDesign(folder, python, sandbox, source, top, context, limits),
  );
  const verilog = 'design.v';
  const { files } = await engine.run({
    tool: 'yosys',
    // Processes become logic first: as Verilog they would not all mean the same.
    args: [
      '-q',
      '-p',
      `read_rtlil design.il; proc -norom; memory_collect; write_verilog -norename ${verilog}`,
    ],
    files: { 'design.il': rtlil },
    outputs: [verilog],
    deadline: limits.deadline,
    onLine: (line) => context.log('scan', line),
    ...(context.signal && { signal: context.signal }),
  });
  const text = files[verilog];
  if (text === undefined) throw toolchainError('tool_failed', { message: 'Yosys wrote no Verilog.' });
  return {
    ...source,
    filename: `${source.filename.replace(/\.[^.]*$/, '')}_amaranth.v`,
    language: 'verilog',
    text: Buffer.from(text).toString(),
  };
}

async function runDesign(
  folder: string,
  python: AmaranthPython,
  sandbox: Sandbox,
  source: PreparedSource,
  top: string | undefined,
  context: BuildContext,
  limits: AmaranthLimits,
): Promise<string> {
  await writeFile(path.join(folder, source.filename), source.text);
  await writeFile(path.join(folder, 'wishbench_harness.py'), AMARANTH_HARNESS);
  const confined = sandbox.wrap({
    command: python.path,
    args: ['-s', 'wishbench_harness.py', source.filename, ...(top === undefined ? [] : [top])],
    folder,
    writable: false,
    show: [...new Set([...python.folders, ...python.searchPath])],
    env: { PYTHONPATH: python.searchPath.join(':'), PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '0' },
    limits: { memory: limits.memory, cpu: Math.ceil(limits.deadline) + 2, file: 2 ** 20, processes: 32 },
  });
  const errors: Diagnostic[] = [];
  const result = await runChild({
    ...confined,
    cwd: folder,
    env: {},
    deadline: limits.deadline,
    memoryLimit: limits.memory,
    captureOutput: { limit: MOST_OUTPUT },
    onLine(line) {
      const diagnostic = parseToolLine(line, source.filename);
      if (diagnostic?.severity === 'error') errors.push(diagnostic);
      context.log('scan', diagnostic ? diagnosticLine(diagnostic) : line);
    },
    ...(context.signal && { signal: context.signal }),
  });
  rejectUnlessDone(result, 'Python', limits.deadline);
  if (result.end.kind === 'exit' && result.end.code === 0)
    return result.output.toString().replaceAll('"/design/', '"');
  const [first] = errors;
  throw toolchainError('design_invalid', {
    message: first
      ? `${first.file}${first.line ? `:${first.line}` : ''}: ${first.message}`
      : 'The Python program ended with an error.',
    diagnostics: errors.slice(0, 20),
  });
}
