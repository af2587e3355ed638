import type { Diagnostic } from '../../contract/diagnostics.ts';
import { cameToNoEnd } from '../diagnostics/findings.ts';
import type { ToolContext, ToolEngine } from '../toolchain.ts';
import { endlessInstancesIn } from './constant/computations-thread.ts';
import { type EndlessInstances, type InstanceStep, MOST_MODULE_LEVELS } from './constant/recursion.ts';
import { elaborate } from './elaborate.ts';
import { type Judgement, unreadable } from './judge.ts';
import { inUpload, lineIn, type PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Seconds that Yosys may take to show that there is an end. */
const ASK = 3;
/** Instances that a finding names. */
const MOST_SAID = 8;

/**
 * The refusal of a design with modules that instantiate each other without an end; else null. They are followed here with
 * their parameters, and Yosys is asked whether it comes to an end all the same.
 * @param texts the sources that are followed
 */
export async function refusedByRecursion(
  source: PreparedDesign,
  texts: readonly { path: string; text: string }[],
  top: string,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement | null> {
  const endless = await endlessInstancesIn({ texts, top }, context.signal);
  if (!endless) return null;
  try {
    await elaborate(source, engine, { ...context, log() {} }, ASK, top);
    return null;
  } catch (error) {
    if (!cameToNoEnd(error)) throw error;
    return unreadable(source, [withoutEnd(endless, source)]);
  }
}

function withoutEnd({ steps, again }: EndlessInstances, source: PreparedDesign): Diagnostic {
  const [first] = steps as [InstanceStep, ...InstanceStep[]];
  const named = steps.slice(0, MOST_SAID).map(({ name, module, path, start, given }) => {
    const file = path === first.path ? '' : ` of ${reportedName(path)}`;
    return `the instance ${name} of ${module} (line ${lineIn(source, path, start)}${file}${given && `, with ${given}`})`;
  });
  const more = steps.length - named.length;
  if (more > 0) named.push(`${more.toLocaleString('en-US')} more`);
  const how = again
    ? 'without an end'
    : `on more than ${MOST_MODULE_LEVELS.toLocaleString('en-US')} levels, with other parameters on each`;
  return {
    severity: 'error',
    code: 'design_invalid',
    message: `module ${first.within} is within itself ${how}: it has ${named.join(', that has ')}`,
    ...inUpload({ file: reportedName(first.path), line: lineIn(source, first.path, first.start) }, source),
    module: first.within,
  };
}
