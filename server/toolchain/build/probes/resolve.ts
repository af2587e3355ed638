import type { MatchedDesign, Probe } from '../../../contract/designs/uploads.ts';
import type { ToolContext } from '../../build-request.ts';
import { readCommands } from '../../frontends/yosys-form.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import type { ToolEngine, ToolFiles } from '../../tool-engine.ts';
import { WRAPPER_MODULE, wrapDesign } from '../wrap/wrap.ts';
import { chooseProbes, probeNames } from './choose.ts';
import { parseNets } from './nets.ts';

/** Seconds; the design has been read before, and is only put together here. */
const DEADLINE = 60;

const NETS = 'nets.il';
const WRAPPER = `${WRAPPER_MODULE}.v`;

/** A mark of a signal in Verilog, `(* mark_debug = "true" *)` or `(* keep, probe *)`. */
const MARK = /\(\*[^)]*\b(?:mark_debug|probe)\b/;

const hasMarks = (files: ToolFiles): boolean =>
  Object.values(files).some((file) =>
    MARK.test(typeof file === 'string' ? file : Buffer.from(file).toString()),
  );

/**
 * The signals that a build is to probe: those that the submit names, and those that the source marks. None of either costs
 * nothing; else the design is put together once before its synthesis, so that names and widths are known.
 * @throws probe_unknown, probes_too_large, for names alone; what the engine rejects with
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
    // What it has to say of the design, it has said.
    onLine: () => {},
    ...(context.signal && { signal: context.signal }),
  });
  const { probes, notes } = chooseProbes(parseNets(Buffer.from(files[NETS] ?? []).toString()), names);
  for (const note of notes) context.log('scan', `note: ${note}`);
  if (probes.length > 0)
    context.log('scan', `probes: ${probes.map(({ name, width }) => `${name} (${width})`).join(', ')}`);
  return probes;
}
