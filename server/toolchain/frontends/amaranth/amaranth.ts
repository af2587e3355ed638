import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import Type, { type Static } from 'typebox';
import type { Clock } from '../../../clock.ts';
import { checkOf, parseAs } from '../../../contract/check.ts';
import type { BenchError } from '../../../errors/bench-error.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { ToolContext } from '../../build-request.ts';
import { causeFirst, errorsOf, Findings, withFindings } from '../../diagnostics/findings.ts';
import { headline, logText } from '../../diagnostics/text.ts';
import { toolMessage } from '../../diagnostics/tool-message.ts';
import { type ConfiguredPaths, findExecutable } from '../../engines/executables.ts';
import { plainEnvironment, requireExit, runTool } from '../../engines/run-tool.ts';
import type { FoundSandbox, Sandbox } from '../../engines/sandbox/bubblewrap.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { once } from '../../once.ts';
import { withTemporaryFolder } from '../../temporary-folder.ts';
import type { Frontend, FrontendHost } from '../frontend.ts';
import { AMARANTH_HARNESS } from './amaranth-harness.ts';

/** A Python interpreter that can import amaranth. */
const AmaranthPython = Type.Object({
  path: Type.String({ description: 'The interpreter itself, not a shim in front of it.' }),
  version: Type.String(),
  folders: Type.Array(Type.String(), { description: 'Folders that it needs to see.' }),
  searchPath: Type.Array(Type.String(), { description: 'Where it looks for modules.' }),
});
export type AmaranthPython = Static<typeof AmaranthPython>;
const isAmaranthPython = checkOf(AmaranthPython);

/** Limits of one design. */
export interface AmaranthLimits {
  /** Seconds. */
  deadline: number;
  /** Bytes. */
  memory: number;
}

const LIMITS: AmaranthLimits = { deadline: 60, memory: 2 ** 30 };
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

/** Python program that describes its interpreter. It runs outside the sandbox, because it reads no design. */
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

/** Finds a Python with amaranth on this machine; null when there is none. */
export async function findAmaranth(
  clock: Clock,
  { python: configured }: ConfiguredPaths = {},
): Promise<AmaranthPython | null> {
  for (const name of ['python3', 'python']) {
    const file = await findExecutable(name, configured ? { [name]: configured } : {});
    if (file === null) continue;
    const { end, output } = await runTool({
      command: file,
      args: ['-c', QUESTION],
      cwd: '/',
      env: { ...plainEnvironment(), HOME: os.homedir(), PYTHONDONTWRITEBYTECODE: '1' },
      clock,
      deadline: 20,
      limits: { memory: LIMITS.memory, output: 64 * 1024 },
    });
    if (end.kind !== 'exit' || end.code !== 0) continue;
    // An interpreter that prints anything else is not reliable.
    const python = parseAs(output.toString(), isAmaranthPython);
    if (python !== null) return python;
  }
  return null;
}

/** What a run of a Python design needs. */
export interface AmaranthHost {
  python: AmaranthPython | null;
  sandbox: FoundSandbox;
  clock: Clock;
  limits?: AmaranthLimits;
}

/** Why a design in Python cannot be built here: no sandbox, or no Amaranth. */
function amaranthRefusal(python: AmaranthPython | null, sandbox: FoundSandbox): BenchError | null {
  if (sandbox.kind === 'missing')
    return toolchainError('tool_missing', {
      message: `A design in Python runs only in a sandbox, and there is none: ${sandbox.reason}.`,
      remedy:
        'Install bubblewrap and util-linux on the machine of the service, or submit the Verilog that Amaranth makes of the design.',
    });
  if (python === null)
    return toolchainError('tool_missing', {
      message: 'A design in Python needs Amaranth, which no Python on the PATH of the service can import.',
      remedy:
        'Install it with "pip install amaranth" for the python3 on the PATH of the service, or submit the Verilog that Amaranth makes of the design.',
    });
  return null;
}

/**
 * Runs a Python design in the sandbox. The result is in Yosys's form.
 * @throws tool_missing without Amaranth or a sandbox; design_invalid with the design's own error
 */
export async function readAmaranth(
  { python, sandbox, clock, limits = LIMITS }: AmaranthHost,
  source: PreparedDesign,
  top: string | undefined,
  context: ToolContext,
): Promise<PreparedDesign> {
  if (sandbox.kind === 'missing' || python === null)
    throw amaranthRefusal(python, sandbox) ?? toolchainError('tool_missing');
  const findings = new Findings(source.diagnostics);
  context.log(
    'scan',
    `${python.version}: running ${source.units.join(', ')} in the sandbox (${sandbox.version})`,
  );
  const rtlil = await withTemporaryFolder((folder) =>
    runDesign({ folder, python, sandbox, clock, limits, findings }, source, top, context),
  );
  const file = `${(source.units[0] ?? 'design').replace(/\.[^.]*$/, '')}_amaranth.il`;
  return { ...source, files: { [file]: rtlil }, units: [], netlists: [file], diagnostics: [...findings.all] };
}

/** Creates the front end for Amaranth, with the installed Python. */
export function createAmaranth(host: FrontendHost): Frontend {
  const python = once(() => findAmaranth(host.clock, host.paths));
  return {
    name: 'amaranth',
    languages: ['amaranth'],
    program: async () => ({ tool: 'python3', versionOf: 'amaranth', found: await python() }),
    async refusal() {
      const sandbox = await host.sandbox();
      // Searching for Python is slow, and without a sandbox the result does not matter.
      return amaranthRefusal(sandbox.kind === 'missing' ? null : await python(), sandbox);
    },
    async translate(request, source, context) {
      // The scan reports these errors. Such a design must not run.
      if (errorsOf(source.diagnostics).length > 0) return { request, source };
      const own = { python: await python(), sandbox: await host.sandbox(), clock: host.clock };
      return { request, source: await readAmaranth(own, source, request.options.top, context) };
    },
  };
}

/** Parameters of one run of the harness. */
interface HarnessRun {
  folder: string;
  python: AmaranthPython;
  sandbox: Sandbox;
  clock: Clock;
  limits: AmaranthLimits;
  findings: Findings;
}

/** @returns the design as RTLIL */
async function runDesign(
  { folder, python, sandbox, clock, limits, findings }: HarnessRun,
  source: PreparedDesign,
  top: string | undefined,
  context: ToolContext,
): Promise<string> {
  const [filename = 'design.py'] = source.units;
  await writeFile(path.join(folder, filename), source.files[filename] ?? '');
  await writeFile(path.join(folder, 'wishbench_harness.py'), AMARANTH_HARNESS);
  const confined = sandbox.wrap({
    command: python.path,
    args: ['-s', 'wishbench_harness.py', filename, ...(top === undefined ? [] : [top])],
    folder,
    writable: false,
    show: [...new Set([...python.folders, ...python.searchPath])],
    env: { PYTHONPATH: python.searchPath.join(':'), PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '0' },
    limits: { memory: limits.memory, cpu: Math.ceil(limits.deadline) + 2, file: 2 ** 20, processes: 32 },
  });
  const { end, output } = await runTool({
    ...confined,
    cwd: folder,
    env: {},
    clock,
    deadline: limits.deadline,
    limits: { memory: limits.memory, output: MAX_OUTPUT_BYTES },
    onLine(line) {
      const finding = toolMessage(line, 'amaranth', [filename]);
      if (finding) findings.add(finding);
      context.log('scan', logText(line, finding));
    },
    ...(context.signal && { signal: context.signal }),
  });
  try {
    requireExit(end, 'Python', limits.deadline);
  } catch (error) {
    throw withFindings(error, findings.all);
  }
  if (end.code === 0) return output.toString().replaceAll('"/design/', '"');
  const [first] = errorsOf(findings.all);
  throw toolchainError('design_invalid', {
    message: first ? headline(first, 1) : 'The Python program failed.',
    diagnostics: causeFirst(findings.all),
  });
}
