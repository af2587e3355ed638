import type { BoardDefinition } from '../../boards/definition.ts';
import type { Clock } from '../../clock.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { Stage } from '../../contract/jobs/jobs.ts';
import type { ToolContext } from '../build-request.ts';
import type { Findings } from '../diagnostics/findings.ts';
import { LineFolder } from '../diagnostics/line-folder.ts';
import { logText } from '../diagnostics/text.ts';
import { cellPlace, findingTool, LOGIC_LOOP, toolMessage } from '../diagnostics/tool-message.ts';
import type { Family } from '../families/family.ts';
import type { NamePlaces } from '../slave/name-places.ts';
import type { ToolEngine, ToolRun } from '../tool-engine.ts';
import type { PlacedBefore } from './placed-before.ts';

/** What the stages of one build share. */
export interface StageContext {
  engine: ToolEngine;
  family: Family;
  board: BoardDefinition;
  /** Reported names of the sources. */
  uploaded: readonly string[];
  /** Place of a name for which a tool gives none. */
  placeOf: NamePlaces;
  /** Time limit of one run of a tool, seconds. */
  stageDeadline: number;
  build: ToolContext;
  clock: Clock;
  /** Findings of the tools so far. */
  findings: Findings;
  /** Earlier runs of place and route; absent when none counts. */
  placedBefore?: PlacedBefore;
}

/** Takes a tool's output into the log. */
export interface ToolLines {
  /** Logs a line under a stage, and adds its finding if it is one. */
  pass(stage: Stage, line: string): void;
  /** Logs what is left of repeated lines when the tool has ended. */
  end(): void;
}

/** Adds the place of the named net to a finding without a place. */
const withPlace = <T extends Diagnostic | null>({ placeOf }: StageContext, finding: T): T =>
  finding && finding.file === undefined && finding.net !== undefined
    ? { ...finding, ...placeOf(finding.net) }
    : finding;

/** Creates the ToolLines of one run. */
export function toolLines(context: StageContext, tool: ToolRun['tool']): ToolLines {
  let at: Stage = 'synthesis';
  const folder = new LineFolder((line) => context.build.log(at, line));
  return {
    pass(stage, line) {
      if (stage !== at) folder.end();
      at = stage;
      const finding = withPlace(context, toolMessage(line, findingTool(tool), context.uploaded));
      folder.add(logText(line, finding), finding);
      const place = finding ? null : cellPlace(line);
      if (finding) context.findings.add(finding);
      else if (place) context.findings.placeLast(LOGIC_LOOP, place);
    },
    end: () => folder.end(),
  };
}

/**
 * The abort signal as an optional property of a ToolRun.
 * @param other another signal that ends the run
 */
export function signalOf({ build }: StageContext, other?: AbortSignal): Pick<ToolRun, 'signal'> {
  const signals = [build.signal, other].filter((signal) => signal !== undefined);
  return signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
}
