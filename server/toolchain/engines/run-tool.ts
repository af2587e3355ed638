import { assertNever } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import {
  type LimitedProcessEnd,
  type ProcessLimits,
  type ProcessOptions,
  type ProcessResult,
  runProcess,
} from '../../process/run-process.ts';
import { withoutControls } from '../../text.ts';

/** A tool as a child process. */
export interface ToolProcess extends Omit<ProcessOptions, 'deadline' | 'lines'> {
  /** Seconds after which the program and its children are killed. */
  deadline: number;
  limits: ProcessLimits;
}

/** Runs a tool as a child process. Its lines are plain text, without control characters. */
export function runTool({
  deadline,
  onLine,
  ...process
}: ToolProcess): Promise<ProcessResult<LimitedProcessEnd>> {
  return runProcess({
    ...process,
    deadline: deadline * 1000,
    lines: { carriageReturn: 'overwrites-line' },
    ...(onLine && { onLine: (line: string) => onLine(withoutControls(line)) }),
  });
}

/** Programs on Windows do not start without these. */
const WINDOWS_START = ['SystemRoot', 'SystemDrive'];
/** Without these they take the folder of Windows for theirs, where ordinary users cannot write. */
const WINDOWS_FOLDERS = ['TEMP', 'TMP', 'USERPROFILE'];

/** The variables that a program needs to find others and to start, and nothing else of the service's environment. */
export function plainEnvironment(
  platform: NodeJS.Platform = process.platform,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const windows = platform === 'win32' ? [...WINDOWS_START, ...WINDOWS_FOLDERS] : [];
  return Object.fromEntries(['PATH', ...windows].map((name) => [name, own[name] ?? '']));
}

/** The same for a program that keeps what it writes in a folder of its own. */
export function environmentIn(
  folder: string,
  platform: NodeJS.Platform = process.platform,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const windows = platform === 'win32' ? WINDOWS_FOLDERS : [];
  const names = ['HOME', 'TMPDIR', ...windows];
  return {
    ...plainEnvironment(platform, own),
    ...Object.fromEntries(names.map((name) => [name, folder])),
    LANG: 'C.UTF-8',
  };
}

/**
 * Throws unless the tool has exited by itself.
 * @param deadline seconds
 * @throws build_aborted, tool_deadline, tool_memory, tool_failed, tool_crashed, tool_missing
 */
export function requireExit(
  end: LimitedProcessEnd,
  tool: string,
  deadline: number,
): asserts end is Extract<LimitedProcessEnd, { kind: 'exit' }> {
  switch (end.kind) {
    case 'exit':
      return;
    case 'aborted':
      throw toolchainError('build_aborted');
    case 'deadline':
      throw toolchainError('tool_deadline', {
        message: `${tool} was stopped after ${deadline} s.`,
        details: { tool, deadline },
      });
    case 'memory':
      throw toolchainError('tool_memory', { message: `${tool} needed more memory than it may use.` });
    case 'output':
      throw toolchainError('tool_failed', { message: `${tool} printed more than its output limit.` });
    case 'signal':
      throw toolchainError('tool_crashed', { message: `${tool} crashed on this design (${end.signal}).` });
    case 'missing':
      throw toolchainError('tool_missing', { message: `${tool} was not found.` });
    case 'unstartable':
      throw toolchainError('tool_missing', { message: `${tool} could not be started: ${end.message}.` });
    default:
      assertNever(end);
  }
}
