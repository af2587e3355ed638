import type { Language } from '../../contract/designs/uploads.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { createAmaranth } from './amaranth/amaranth.ts';
import type { Frontend, FrontendHost } from './frontend.ts';
import { createVhdl } from './vhdl/vhdl.ts';

/** slang reads Verilog and SystemVerilog without a translation. */
const verilog: Frontend = {
  name: 'verilog',
  languages: ['verilog', 'systemverilog'],
  program: async () => null,
  refusal: async () => null,
  translate: async (request, source) => ({ request, source }),
};

/** Creates a front end for a computer. */
export type CreateFrontend = (host: FrontendHost) => Frontend;

/** All front ends. */
export const FRONTENDS: CreateFrontend[] = [() => verilog, createVhdl, createAmaranth];

/** The front ends of a computer. */
export interface Frontends {
  readonly all: readonly Frontend[];
  /** The front end of a language. */
  of(language: Language): Frontend;
  /** Every language with the error that refuses it here; null where it can be built. */
  languages(): Promise<{ language: Language; refusal: BenchError | null }[]>;
}

/** Creates the front ends of a computer. */
export function createFrontends(host: FrontendHost): Frontends {
  const all = FRONTENDS.map((create) => create(host));
  return {
    all,
    of(language) {
      const found = all.find(({ languages }) => languages.includes(language));
      if (!found) throw new Error(`no front end reads ${language}`);
      return found;
    },
    languages: async () =>
      (
        await Promise.all(
          all.map(async (frontend) => {
            const refusal = await frontend.refusal();
            return frontend.languages.map((language) => ({ language, refusal }));
          }),
        )
      ).flat(),
  };
}
