import { LANGUAGES } from '../../contract/designs.ts';
import { assertNever, type BenchError } from '../../errors/bench-error.ts';
import type { InstalledTools } from '../installed-tools.ts';
import type { Language } from '../scan/language.ts';
import { amaranthRefusal } from './amaranth.ts';
import { vhdlRefusal } from './ghdl.ts';

async function refusalOf(language: Language, tools: InstalledTools): Promise<BenchError | null> {
  switch (language) {
    case 'verilog':
    case 'systemverilog':
      return null;
    case 'vhdl':
      return vhdlRefusal(await tools.ghdl(), await tools.sandbox(), tools.vhdlWithoutSandbox());
    case 'amaranth': {
      const sandbox = await tools.sandbox();
      // Python is asked only where the answer counts.
      return amaranthRefusal(sandbox.kind === 'missing' ? null : await tools.amaranth(), sandbox);
    }
    default:
      return assertNever(language);
  }
}

/** Every language, and why it cannot be built here; null where it can. */
export const findLanguages = (
  tools: InstalledTools,
): Promise<{ language: Language; refusal: BenchError | null }[]> =>
  Promise.all(LANGUAGES.map(async (language) => ({ language, refusal: await refusalOf(language, tools) })));
