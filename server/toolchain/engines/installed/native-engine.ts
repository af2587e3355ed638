import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { untilAborted } from '../../../abort.ts';
import type { Clock } from '../../../clock.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { LimitedProcessEnd, ProcessResult } from '../../../process/run-process.ts';
import { AbortableWork } from '../../abortable.ts';
import type { Family, InstalledTool } from '../../families/family.ts';
import { withTemporaryFolder } from '../../temporary-folder.ts';
import type { ToolEngine, ToolResult, ToolRun } from '../../tool-engine.ts';
import { type ConfiguredPaths, findExecutable, installationOf } from '../executables.ts';
import { environmentIn, plainEnvironment, requireExit, runTool } from '../run-tool.ts';
import type { Sandbox } from '../sandbox/bubblewrap.ts';
import { installedTools } from './tools.ts';

/** Options of the native engine. */
export interface NativeEngineOptions {
  paths?: ConfiguredPaths;
  /** Confines the tools; without it they run as the service's user. */
  sandbox?: Sandbox | null;
  /** Memory limit of a tool, bytes. */
  memoryLimit: number;
  clock: Clock;
}

interface NativeToolInfo {
  tool: string;
  path: string | null;
  version: string | null;
}

/** An engine of installed tools. */
export interface NativeEngine extends ToolEngine {
  /** All tools of this engine, found or not. */
  tools(): Promise<NativeToolInfo[]>;
  /** Missing tools of a family. */
  missing(family: Family): InstalledTool[];
}

/** Factor of the address space: it also has libraries, thread stacks and the allocator's reserves. */
const ADDRESS_SPACE = 2;

/** Runs the installed tools as child processes: see ToolEngine. */
export async function createNativeEngine(options: NativeEngineOptions): Promise<NativeEngine> {
  const { clock, memoryLimit, paths = {}, sandbox = null } = options;
  const known = installedTools();
  const found = new Map<string, string>();
  await Promise.all(
    known.map(async ({ name }) => {
      const file = await findExecutable(name, paths);
      if (file !== null) found.set(name, file);
    }),
  );
  let versions: Promise<NativeToolInfo[]> | null = null;
  const work = new AbortableWork();

  const tools = () => {
    versions ??= Promise.all(
      known.map(async (tool) => {
        const { name } = tool;
        const file = found.get(name);
        return { tool: name, path: file ?? null, version: file ? await versionOf(tool, file, clock) : null };
      }),
    );
    return versions;
  };

  const missing: NativeEngine['missing'] = ({ installed }) =>
    installed.filter(({ name }) => !found.has(name));

  async function run(request: ToolRun): Promise<ToolResult> {
    const tool = known.find(({ name }) => name === request.tool);
    const file = tool && found.get(tool.name);
    if (tool === undefined)
      throw toolchainError('tool_missing', { message: `${request.tool} is not run as an installed tool.` });
    if (file === undefined)
      throw toolchainError('tool_missing', {
        message: `${tool.name} was not found.`,
        remedy: `Install ${tool.name} (package ${tool.package}) so that it is on the PATH of the service, or give its path in the settings.`,
      });
    return await work.run(request.signal, (signal) => runInFolder(file, request, signal));
  }

  async function runInFolder(file: string, request: ToolRun, signal: AbortSignal): Promise<ToolResult> {
    const late = await untilAborted(
      Promise.all(
        Object.entries(request.late ?? {}).map(async ([name, contents]) => [name, await contents] as const),
      ),
      signal,
    );
    return await withTemporaryFolder(async (folder) => {
      for (const [name, contents] of [...Object.entries(request.files), ...late]) {
        const target = path.join(folder, name);
        await mkdir(path.dirname(target), { recursive: true });
        await writeFile(target, contents);
      }
      return await runIn(folder, file, request, signal);
    });
  }

  async function runIn(
    folder: string,
    file: string,
    request: ToolRun,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const summary = { last: '', error: '', memory: false };
    const confined = sandbox?.wrap({
      command: file,
      args: request.args,
      folder,
      writable: true,
      show: [await installationOf(file)],
      env: {},
      limits: {
        memory: memoryLimit * ADDRESS_SPACE,
        cpu: Math.ceil(request.deadline * 4), // of all threads together
        file: 2 ** 30,
        processes: 256,
      },
    });
    const result = await runTool({
      ...(confined ?? { command: file, args: request.args }),
      cwd: folder,
      // No more of the service's environment than a tool needs to find its parts.
      env: environmentIn(folder),
      clock,
      deadline: request.deadline,
      limits: { memory: memoryLimit },
      signal,
      onLine(line) {
        if (line.trim() !== '') summary.last = line;
        if (/^(?:\S+:\d+: )?ERROR: /.test(line)) summary.error = line;
        if (/bad_alloc|out of memory|cannot allocate memory/i.test(line)) summary.memory = true;
        request.onLine(line);
      },
    });
    judge(request, result, summary);
    const files: Record<string, Uint8Array> = {};
    for (const name of request.outputs) {
      const contents = await readFile(path.join(folder, name)).catch(() => null);
      if (contents !== null) files[name] = contents;
    }
    return { files, seconds: result.seconds, peakMemory: result.peakMemory };
  }

  /** Throws unless the run succeeded. */
  function judge(
    { tool, deadline }: ToolRun,
    { end, peakMemory }: ProcessResult<LimitedProcessEnd>,
    summary: { last: string; error: string; memory: boolean },
  ): void {
    const succeeded = end.kind === 'exit' && end.code === 0;
    const endedByItself = end.kind === 'exit' || end.kind === 'signal';
    if (end.kind === 'memory' || (summary.memory && endedByItself && !succeeded))
      throw toolchainError('tool_memory', {
        message: `${tool} needed more than the ${Math.round(memoryLimit / 2 ** 20)} MiB of memory it may use.`,
        details: { tool, memory: peakMemory },
      });
    requireExit(end, tool, deadline);
    if (end.code === 0) return;
    // A shell or a sandbox reports a signal as 128 plus its number.
    if (end.code > 128)
      throw toolchainError('tool_crashed', {
        message: `${tool} crashed on this design (signal ${end.code - 128}).`,
        details: { tool },
      });
    throw toolchainError('tool_failed', {
      message:
        summary.error === ''
          ? `${tool} exited with code ${end.code}${summary.last ? `: ${summary.last}` : '.'}`
          : `${tool}: ${summary.error}`,
      details: { tool, exitCode: end.code },
    });
  }

  return {
    name: 'native',
    missing,
    tools,
    versions: async () =>
      Object.fromEntries(
        (await tools()).flatMap(({ tool, version }) => (version === null ? [] : [[tool, version]])),
      ),
    run,
    close: () => work.close(),
  };
}

/** The tool's own version line, or the start of its SHA-256: either one changes with the tool. */
async function versionOf(
  { name, versionArgument }: InstalledTool,
  file: string,
  clock: Clock,
): Promise<string> {
  if (versionArgument !== null) {
    const lines: string[] = [];
    const { end } = await runTool({
      command: file,
      args: [versionArgument],
      cwd: os.tmpdir(),
      env: { ...plainEnvironment(), LANG: 'C.UTF-8' },
      clock,
      deadline: 10,
      limits: { memory: 2 ** 30 },
      onLine: (line) => lines.push(line.trim()),
    });
    const line = lines.find((text) => /\d/.test(text));
    if (end.kind === 'exit' && end.code === 0 && line !== undefined) return line.replaceAll('"', '');
  }
  const contents = await readFile(file);
  return `${name} (SHA-256 ${createHash('sha256').update(contents).digest('hex').slice(0, 12)})`;
}
