import type { MatchedDesign } from '../../../contract/designs/uploads.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { ToolContext } from '../../build-request.ts';
import { readCommands } from '../../frontends/yosys-form.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import type { ToolEngine } from '../../tool-engine.ts';
import { splitInouts } from './split-netlist.ts';

/** Seconds; the design has been read before, and is only put together here. */
const DEADLINE = 60;

const WHOLE = 'wishbench_whole.json';
const SPLIT = 'wishbench_split.json';

/**
 * The design with those of its inouts split that are pins: a netlist in place of its sources, as Verilog has no way to
 * ask which bits of an inout are driven. A design without such pins is left as it is, and costs nothing.
 * @throws what the engine rejects with
 */
export async function splitDesign(
  source: PreparedDesign,
  { module, pins = [] }: Pick<MatchedDesign, 'module' | 'pins'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<PreparedDesign> {
  const inouts = pins.filter(({ direction }) => direction === 'inout').map(({ name }) => name);
  if (inouts.length === 0) return source;
  const script = [
    ...readCommands(source),
    `hierarchy -top ${module}`,
    'proc',
    'flatten',
    'tribuf',
    `write_json ${WHOLE}`,
  ];
  const { files } = await engine.run({
    tool: 'yosys',
    args: ['-q', '-p', script.join('; ')],
    files: { ...source.files },
    outputs: [WHOLE],
    deadline: DEADLINE,
    // What it has to say of the design, it has said.
    onLine: () => {},
    ...(context.signal && { signal: context.signal }),
  });
  const whole = files[WHOLE];
  const split = whole && splitInouts(Buffer.from(whole).toString(), inouts);
  if (!split)
    throw toolchainError('tool_failed', { message: 'Yosys ended without a netlist of the design.' });
  return { ...source, files: { ...source.files, [SPLIT]: split }, units: [], netlists: [SPLIT] };
}
