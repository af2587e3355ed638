import type { BuildRequest, ToolContext } from '../build-request.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { findSlave, type Judgement, unreadable } from '../slave/find-slave.ts';
import type { ToolEngine } from '../tool-engine.ts';
import { readWithYosys } from './yosys-form.ts';

/** Seconds; a design that was translated is in the tool's own form, or nearly. */
const DEADLINE = 30;

/** Finds the slave in a design that another front end translated. @throws what the engine rejects with */
export async function readTranslated(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement> {
  if (errorsOf(source.diagnostics).length > 0) return unreadable(source, source.diagnostics);
  const { read, diagnostics } = await readWithYosys(source, { deadline: DEADLINE }, engine, context);
  if (read === null) return unreadable(source, diagnostics);
  return findSlave({ source: read.design, netlist: read.netlist, diagnostics }, request);
}
