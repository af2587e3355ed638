import type { BoardDefinition } from '../../boards/definition.ts';
import type { Clock } from '../../clock.ts';
import type { Stage } from '../../contract/jobs.ts';
import { DEFAULT_SETTINGS } from '../../contract/settings.ts';
import type { Findings } from '../diagnostics/findings.ts';
import { logText } from '../diagnostics/text.ts';
import { cellPlace, FINDING_TOOL, LOGIC_LOOP, toolMessage } from '../diagnostics/tool-message.ts';
import type { Flow } from '../flows/flow.ts';
import type { ToolContext, ToolEngine, ToolRun } from '../toolchain.ts';

/** Seconds that each stage may take. */
export interface Deadlines {
  synthesis: number;
  /** Place and route together: one run of one tool. */
  place: number;
  pack: number;
}

const { stage_deadline_seconds: stageDeadline } = DEFAULT_SETTINGS.toolchain;

/** Those of the default settings. */
export const DEFAULT_DEADLINES: Deadlines = {
  synthesis: stageDeadline,
  place: stageDeadline,
  pack: stageDeadline,
};

/** What the stages of one build share. */
export interface StageContext {
  engine: ToolEngine;
  flow: Flow;
  board: BoardDefinition;
  /** Name of the user's source as the tools know it. */
  filename: string;
  deadlines: Deadlines;
  build: ToolContext;
  clock: Clock;
  /** What the tools have found so far. */
  findings: Findings;
}

/** Logs a line of a tool's output under a stage and keeps the finding that it may be. */
export function passLine(context: StageContext, stage: Stage, tool: ToolRun['tool'], line: string): void {
  const finding = toolMessage(line, FINDING_TOOL[tool], context.filename);
  context.build.log(stage, logText(line, finding));
  const place = finding ? null : cellPlace(line);
  if (finding) context.findings.add(finding);
  else if (place) context.findings.placeLast(LOGIC_LOOP, place);
}

/** The abort signal as an optional property of a ToolRun. */
export const signalOf = ({ build }: StageContext): Pick<ToolRun, 'signal'> =>
  build.signal ? { signal: build.signal } : {};
