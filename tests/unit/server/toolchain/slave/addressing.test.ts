import { describe, expect, test } from 'vitest';
import { addressingOfUse } from '../../../../../server/toolchain/slave/addressing.ts';
import { moduleOf } from '../../../../support/toolchain/slave/dialects.ts';
import { matched, opencores } from '../../../../support/toolchain/slave/matched.ts';

describe('byte or word addresses', () => {
  test.each([
    // address, names of the data ports, width of the data → unit, why
    ['adr_i[31:2]', 'dat_i', 'dat_o', 32, 'word', /declared \[31:2\]/],
    ['adr_i[15:1]', 'dat_i', 'dat_o', 32, 'word', /declared \[15:1\]/],
    ['adr_i[31:0]', 'dat_i', 'dat_o', 32, 'byte', /OpenCores/],
    ['adr_i[4:0]', 'dat_i', 'dat_o', 32, 'byte', /OpenCores/],
    ['adr_i[1:0]', 'dat_i', 'dat_o', 32, 'word', /register index/],
    ['adr_i[2:0]', 'dat_i', 'dat_o', 32, 'word', /register index/],
    ['adr_i[31:0]', 'dat_i', 'dat_o', 8, 'word', /8-bit register/],
    ['adr_i[31:0]', 'dat_i', 'dat_o', 16, 'word', /16-bit register/],
    ['i_wb_addr[29:0]', 'i_wb_data', 'o_wb_data', 32, 'word', /ZipCPU/],
    ['i_wb_addr[11:0]', 'i_wb_data', 'o_wb_data', 32, 'word', /ZipCPU/],
    ['io_wbs_ADR[19:0]', 'io_wbs_DAT_MOSI', 'io_wbs_DAT_MISO', 32, 'word', /SpinalHDL/],
    ['bus_adr[29:0]', 'bus_dat_w', 'bus_dat_r', 32, 'word', /LiteX/],
    ['wbs_adr_i[31:0]', 'wbs_dat_i', 'wbs_dat_o', 32, 'byte', /Caravel/],
    ['wb_addr[29:0]', 'wb_wdata', 'wb_rdata', 32, 'word', /30-bit/],
    ['wb_addr[11:0]', 'wb_wdata', 'wb_rdata', 32, 'byte', /12-bit/],
    ['wb_addr[7:0]', 'wb_wdata', 'wb_rdata', 32, 'word', /8-bit/],
    ['wb_adr[29:0]', 'wb_dat_w', 'wb_dat_r', 32, 'word', /contract/],
    ['wb_adr[8:0]', 'wb_dat_w', 'wb_dat_r', 32, 'word', /contract/],
  ] as const)('%s with %s and %s of %i bits: %s… %s', (adr, dat_w, dat_r, width, addressing, reason) => {
    const range = `[${width - 1}:0]`;
    const module = moduleOf({
      ports: {
        clk: 'clk',
        stb: 'wb_stb',
        ack: 'wb_ack',
        we: 'wb_we',
        adr,
        dat_w: dat_w + range,
        dat_r: dat_r + range,
      },
    });
    expect(matched(module)).toMatchObject({ addressing, addressingReason: expect.stringMatching(reason) });
    for (const asked of ['byte', 'word'] as const)
      expect(matched(module, { addressing: asked })).toMatchObject({
        addressing: asked,
        addressingReason: 'set by the form field addressing',
      });
  });

  test('the design’s use of its address outranks its name', () => {
    const module = moduleOf(opencores);
    const use = {
      highBits: true,
      index: false,
      multiples: [],
      others: [],
      unclear: false,
    };
    const unit = (more: object) => matched({ ...module, addressUse: () => ({ ...use, ...more }) }).addressing;
    expect(unit({ index: true })).toBe('word');
    expect(unit({ others: ['01'] })).toBe('word');
    expect(unit({})).toBe('byte');
    const narrow = moduleOf({
      ports: { ...opencores.ports, dat_w: 'wb_dat_i[7:0]', dat_r: 'wb_dat_o[7:0]' },
    });
    const ofNarrow = (more: object) => matched({ ...narrow, addressUse: () => ({ ...use, ...more }) });
    expect(ofNarrow({ others: ['01'] })).not.toHaveProperty('addressingDoubt');
    // One register behind each word, whatever the design decodes; the form field decides otherwise.
    expect(ofNarrow({ multiples: ['0100', '1000'] })).toMatchObject({
      addressing: 'word',
      addressingDoubt: 'the design decodes only multiples of four; registers 1 and up may be elsewhere',
    });
    expect(matched({ ...module, addressUse: () => ({ ...use, index: true }) })).not.toHaveProperty(
      'addressingDoubt',
    );
    expect(addressingOfUse({ ...use, unclear: true })).toBeNull();
    expect(addressingOfUse({ ...use, multiples: ['0100', '0100'] })).toBeNull();
    expect(addressingOfUse({ ...use, multiples: ['0100', '1000'] })?.addressing).toBe('byte');
    expect(addressingOfUse({ ...use, highBits: false })).toBeNull();
    expect(addressingOfUse(null)).toBeNull();
  });
});
