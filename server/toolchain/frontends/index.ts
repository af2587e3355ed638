import type { Language } from '../../contract/designs/uploads.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { createAmaranth } from './amaranth/amaranth.ts';
import type { Frontend, FrontendHost } from './frontend.ts';
import { createVhdl } from './vhdl/vhdl.ts';

/** Verilog and SystemVerilog are what slang reads: there is nothing to translate. */
const verilog: Frontend = {
  name: 'verilog',
  languages: ['verilog', 'systemverilog'],
  program: async () => null,
  refusal: async () => null,
  translate: async (request, source) => ({ request, source }),
};

/** Makes a front end for a computer. */
export type CreateFrontend = (host: FrontendHost) => Frontend;

/** Every front end. */
export const FRONTENDS: CreateFrontend[] = [() => verilog, createVhdl, createAmaranth];

/** The front ends of a computer. */
export interface Frontends {
  readonly all: readonly Frontend[];
  /** The one that reads a language. */
  of(language: Language): Frontend;
  /** Every language, and why it cannot be built here; null where it can. */
  languages(): Promise<{ language: Language; refusal: BenchError | null }[]>;
}

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
