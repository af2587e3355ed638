import type { MatchedDesign, Probe } from '../../../contract/designs/uploads.ts';
import type { ToolContext } from '../../build-request.ts';
import { readCommands } from '../../frontends/yosys-form.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import type { ToolEngine, ToolFiles } from '../../tool-engine.ts';
import { WRAPPER_MODULE, wrapDesign } from '../wrap/wrap.ts';
import { chooseProbes, probeNames } from './choose.ts';
import { parseNets } from './nets.ts';

/** Time limit, seconds. The design was read before; this run only assembles it. */
const DEADLINE = 60;

const NETS = 'nets.il';
const WRAPPER = `${WRAPPER_MODULE}.v`;

/** A mark of a signal in Verilog: `(* mark_debug = "true" *)` or `(* keep, probe *)`. */
const MARK = /\(\*[^)]*\b(?:mark_debug|probe)\b/;

const hasMarks = (files: ToolFiles): boolean =>
  Object.values(files).some((file) =>
    MARK.test(typeof file === 'string' ? file : Buffer.from(file).toString()),
  );

/**
 * Finds the signals to probe: those that the submit names, and those that the source marks. If there are any, it assembles
 * the design once before synthesis, to know names and widths.
 * @throws probe_unknown, probes_too_large, both for named signals only; the engine's errors
 */
export async function resolveProbes(
  source: PreparedDesign,
  design: MatchedDesign,
  field: string | undefined,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Probe[]> {
  const names = probeNames(field ?? '');
  if (names.length === 0 && !hasMarks(source.files)) return [];
  const script = [
    `read_verilog ${WRAPPER}`,
    ...readCommands(source),
    `hierarchy -top ${WRAPPER_MODULE}`,
    'proc',
    'flatten',
    `dump -m -o ${NETS} w:* m:*`,
  ];
  const { files } = await engine.run({
    tool: 'yosys',
    args: ['-q', '-p', script.join('; ')],
    files: { ...source.files, [WRAPPER]: wrapDesign(design) },
    outputs: [NETS],
    deadline: DEADLINE,
    // The scan has reported everything about the design already.
    onLine: () => {},
    ...(context.signal && { signal: context.signal }),
  });
  const { probes, notes } = chooseProbes(parseNets(Buffer.from(files[NETS] ?? []).toString()), names);
  for (const note of notes) context.log('scan', `note: ${note}`);
  if (probes.length > 0)
    context.log('scan', `probes: ${probes.map(({ name, width }) => `${name} (${width})`).join(', ')}`);
  return probes;
}
