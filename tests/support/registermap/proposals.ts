import type { RegisterMap } from '../../../server/contract/designs/register-map.ts';
import type { MatchedDesign } from '../../../server/contract/designs/uploads.ts';
import { proposeMap, type SourceFile } from '../../../server/registermap/propose/propose.ts';

/** The scan result of a module whose bus has these names. */
export function matchedAs(
  module: string,
  {
    width = 6,
    offset = 0,
    addressing = 'word' as 'word' | 'byte',
    adr = 'adr',
    dat_w = 'wdata',
    dat_r = 'rdata',
    dataWidth = 32,
  } = {},
): MatchedDesign {
  return {
    module,
    roles: { adr, dat_w, dat_r },
    dataWidth,
    addressWidth: width,
    addressing,
    addressingReason: '',
    resetActiveLow: false,
    handshake: 'classic',
    ties: [],
    open: [],
    ports: [{ name: adr, direction: 'input', width, offset }],
  };
}

/** Registers in a line each: `0x04 CTRL rw 3:1=MODE 0=EN @12`. */
export const shown = ({ registers }: RegisterMap): string[] =>
  registers.map(({ name, address, words, access, fields, source }) =>
    [
      `0x${address.toString(16).padStart(2, '0')}`,
      words ? `${name}[${words}]` : name,
      access,
      ...fields.map(({ name: field, msb, lsb }) => `${msb === lsb ? msb : `${msb}:${lsb}`}=${field}`),
      `@${source?.line}`,
    ].join(' '),
  );

/** The proposal for one file. */
export const proposed = (text: string, matched: MatchedDesign | null, path = 'a.v'): string[] => {
  const language = path.endsWith('.vhd') ? 'vhdl' : path.endsWith('.py') ? 'python' : 'verilog';
  const files: SourceFile[] = [{ path, text, language }];
  return shown(proposeMap(files, matched, 'map'));
};
