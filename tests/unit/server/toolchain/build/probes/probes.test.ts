import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../../../server/boards/catalogue/index.ts';
import { SubmitOptions } from '../../../../../../server/contract/jobs/jobs.ts';
import {
  chooseProbes,
  connectProbes,
  probeNames,
} from '../../../../../../server/toolchain/build/probes/choose.ts';
import { parseNets } from '../../../../../../server/toolchain/build/probes/nets.ts';
import { fittingSize, wantedSize } from '../../../../../../server/toolchain/build/probes/size.ts';
import { ice40 } from '../../../../../../server/toolchain/families/ice40/ice40.ts';
import { familyOf } from '../../../../../../server/toolchain/families/index.ts';

/** As Yosys's `dump` writes it, of a wrapper around a design. */
const DUMP = `
  attribute \\src "wishbench_user.v:3.1-3.9"
  wire width 30 input 4 \\wb_adr
  attribute \\hdlname "user state"
  attribute \\src "/design/design.v:7.13-7.18|wishbench_user.v:40.1-50.2"
  attribute \\mark_debug "true"
  wire width 3 \\user.state
  attribute \\probe "false"
  wire \\user.busy
  attribute \\probe 1
  wire width 8 upto \\user.deep.up
  wire width 4 offset 4 \\user.g[1].unit.part
  wire width 8 $auto$proc.cc:1:x$12
  memory width 8 size 16 \\user.store
`;
const nets = parseNets(DUMP);
const codeOf = (names: string[]) => {
  try {
    chooseProbes(nets, names);
    return null;
  } catch (error) {
    return error as Error & { code: string };
  }
};

describe('available probes', () => {
  test('lists nets with ranges and lines, those of the bus, and marked ones', () => {
    const names = nets.signals.map(({ name }) => name);
    expect(names.slice(-4)).toEqual(['state', 'busy', 'deep.up', 'g[1].unit.part']);
    expect(names.slice(0, 3)).toEqual(['bus.cyc', 'bus.we', 'bus.adr']);
    expect(nets.signals.find(({ name }) => name === 'state')).toMatchObject({ file: 'design.v', line: 7 });
    expect(nets.marked).toEqual(['state', 'deep.up']);
    expect(nets.memories).toEqual(['store']);
  });

  test('form names come first, then marks, each once; slices use the source’s indices', () => {
    const { probes, notes } = chooseProbes(
      nets,
      probeNames('g[1].unit.part[6:5], bus.adr[3:2] ,deep.up[7], , bus.cyc, bus.cyc'),
    );
    expect(notes).toEqual([]);
    expect(probes.map(({ name, at, from, width }) => [name, at, from, width])).toEqual([
      ['g[1].unit.part[6:5]', 0, 1, 2],
      ['bus.adr[3:2]', 2, 2, 2],
      ['deep.up[7]', 4, 0, 1],
      ['bus.cyc', 5, 0, 1],
      ['state', 6, 0, 3],
      ['deep.up', 9, 0, 8],
    ]);
    expect(connectProbes('top', probes)).toEqual([
      'cd top',
      'connect -nomap -nounset -set probes[1:0] user.user.g[1].unit.part[2:1]',
      'connect -nomap -nounset -set probes[3:2] wb_adr[3:2]',
      'connect -nomap -nounset -set probes[4:4] user.user.deep.up[0:0]',
      'connect -nomap -nounset -set probes[5:5] wb_cyc',
      'connect -nomap -nounset -set probes[8:6] user.user.state[2:0]',
      'connect -nomap -nounset -set probes[16:9] user.user.deep.up[7:0]',
      'cd ..',
    ]);
  });

  test('refuses unknown names with a suggestion, memories, and too many bits', () => {
    expect(codeOf(['stat'])).toMatchObject({ code: 'probe_unknown' });
    expect(codeOf(['stat', 'nothing.like.this'])?.message).toMatch(
      /no signal stat, nothing\.like\.this .*Did you mean state\?/,
    );
    expect(codeOf(['state[3]'])?.message).toMatch(/no signal state\[3\]/);
    expect(codeOf(['store', 'store[3]'])?.message).toMatch(/store, store\[3\] is a memory/);
    expect(codeOf(['bus.dat_w', 'bus.dat_r', 'bus.cyc'])).toMatchObject({
      code: 'probes_too_large',
      message: expect.stringMatching(/65 bits in total/),
    });
  });

  test('marks without room or without a plain signal are skipped and reported', () => {
    const { probes, notes } = chooseProbes(nets, ['bus.dat_w', 'bus.adr[24:2]']);
    expect(probes.map(({ name }) => name)).toEqual(['bus.dat_w', 'bus.adr[24:2]', 'state']);
    expect(notes).toEqual([
      expect.stringMatching(/^the marked signals exceed the 64 bits .*: deep\.up is not probed/),
    ]);
    expect(chooseProbes({ ...nets, marked: ['store', 'state'] }, [])).toEqual({
      probes: [expect.objectContaining({ name: 'state', at: 0 })],
      notes: ['store is marked but cannot be probed: not a plain signal'],
    });
  });

  test('a name that could inject a script command is refused', () => {
    const odd = parseNets('attribute \\mark_debug 1\nwire \\user.a;!id\n');
    expect(odd.marked).toEqual(['a;!id']);
    expect(() => chooseProbes(odd, odd.marked)).toThrow(
      /a;!id has characters that the name of a probe cannot have/,
    );
    expect(chooseProbes(odd, []).probes).toEqual([]);
    const { pattern } = SubmitOptions.properties.probes as { pattern?: string };
    const allowed = new RegExp(pattern ?? '');
    for (const good of ['a', ' a.b , c[1:0],g[0].x$1 ']) expect(allowed.test(good), good).toBe(true);
    for (const bad of ['', 'a;b', 'a b', '!id', '$x', 'a,', 'a\nb c', 'a#b', 'a,,b'])
      expect(allowed.test(bad), bad).toBe(false);
  });
});

describe('depth of the core', () => {
  const boardOf = (id: string) => loadCatalogue().get(id)!;
  const icestick = boardOf('icestick');
  const sized = (bits: number, used: number, board = icestick) => {
    const size = wantedSize(bits);
    return fittingSize(size, { SB_RAM40_4K: used }, board, ice40);
  };

  test('as many samples as 32 Kbit hold, from 256 to 2,048', () => {
    expect([1, 16, 17, 32, 33, 64].map((bits) => 2 ** wantedSize(bits).depthLog2)).toEqual([
      2048, 2048, 1024, 1024, 512, 512,
    ]);
  });

  test('fewer samples where the design leaves less, and a refusal that says what would fit', () => {
    // The part has 16; the core needs 8 for 16 bits, and the base SoC uses 5.
    expect(sized(16, 13)).toBeNull();
    expect(sized(16, 18)).toEqual({ bits: 16, depthLog2: 10 });
    expect(sized(16, 23)).toEqual({ bits: 16, depthLog2: 8 });
    expect(() => sized(64, 21)).toThrow(
      '64 bits × 256 samples need 4 block RAMs, but the design leaves 3 of the 16 in the hx1k: at most 48 bits fit.',
    );
    expect(() => sized(1, 17)).toThrow(/leaves 0 of the 16 .* no probe fits/);
    // The design by itself is too large: the usual error.
    expect(sized(16, 25)).toBeNull();
  });

  test('every part of the catalogue is known', () => {
    for (const board of loadCatalogue().boards)
      expect(familyOf(board).blockRam.available(board), board.id).toBeGreaterThan(0);
  });
});
