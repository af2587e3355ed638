import type { BoardDefinition } from '../../boards/definition.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { Stage } from '../../contract/jobs.ts';
import type { Flow } from '../flows/flow.ts';
import type { BuildContext, ToolEngine, ToolRun } from '../toolchain.ts';
import { logLine } from './tool-lines.ts';

/** Seconds that each stage may take. */
export interface Deadlines {
  synthesis: number;
  /** Place and route together: one run of one tool. */
  place: number;
  pack: number;
}

/** What the stages of one build share. */
export interface StageContext {
  engine: ToolEngine;
  flow: Flow;
  board: BoardDefinition;
  /** Name of the user's source as the tools know it. */
  filename: string;
  deadlines: Deadlines;
  build: BuildContext;
  /** Messages of the tools with their place in the source, as they come; each once. */
  diagnostics: Diagnostic[];
}

const MOST_DIAGNOSTICS = 200;

/** Logs a line of a tool's output under a stage and keeps the message that it may be. */
export function passLine(context: StageContext, stage: Stage, line: string): void {
  const { text, diagnostic } = logLine(line, context.filename);
  context.build.log(stage, text);
  if (!diagnostic || diagnostic.file === '' || context.diagnostics.length >= MOST_DIAGNOSTICS) return;
  const same = (other: Diagnostic) =>
    other.line === diagnostic.line && other.message === diagnostic.message && other.file === diagnostic.file;
  if (!context.diagnostics.some(same)) context.diagnostics.push(diagnostic);
}

/** The abort signal as an optional property of a ToolRun. */
export const signalOf = ({ build }: StageContext): Pick<ToolRun, 'signal'> =>
  build.signal ? { signal: build.signal } : {};
