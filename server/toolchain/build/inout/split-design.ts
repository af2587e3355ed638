import type { MatchedDesign } from '../../../contract/designs/uploads.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { ToolContext } from '../../build-request.ts';
import { readCommands } from '../../frontends/yosys-form.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import type { ToolEngine } from '../../tool-engine.ts';
import { splitInouts } from './split-netlist.ts';

/** Time limit, seconds. The design was read before; this run only assembles it. */
const DEADLINE = 60;

const WHOLE = 'wishbench_whole.json';
const SPLIT = 'wishbench_split.json';

/**
 * Splits the inouts of a design that are pins. The result is a netlist instead of sources, because Verilog cannot ask
 * which bits of an inout are driven. A design without such pins stays as it is.
 * @throws the engine's errors
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
    // The scan has reported everything about the design already.
    onLine: () => {},
    ...(context.signal && { signal: context.signal }),
  });
  const whole = files[WHOLE];
  const split = whole && splitInouts(Buffer.from(whole).toString(), inouts);
  if (!split) throw toolchainError('tool_failed', { message: 'Yosys produced no netlist of the design.' });
  return { ...source, files: { ...source.files, [SPLIT]: split }, units: [], netlists: [SPLIT] };
}
