import { describe, expect, test } from 'vitest';
import type { Port } from '../../../../../server/contract/designs/uploads.ts';
import { moduleOf, port } from '../../../../support/toolchain/slave/dialects.ts';
import { matched, opencores, outcomeOf, problemOf } from '../../../../support/toolchain/slave/matched.ts';

describe('buses of other kinds', () => {
  const ports = (inputs: string, outputs: string): Port[] => [
    ...inputs.split(' ').map((name) => ({ ...port(name), direction: 'input' as const })),
    ...outputs.split(' ').map((name) => ({ ...port(name), direction: 'output' as const })),
  ];
  test.each([
    ['AXI4-Lite', 'aclk s_axil_awvalid s_axil_wvalid s_axil_arvalid', 's_axil_awready s_axil_arready'],
    ['AXI4-Lite', 'ACLK S_AXI_ARVALID S_AXI_RREADY', 'S_AXI_ARREADY S_AXI_RVALID'],
    ['AXI4', 'clk cfg_awvalid_i cfg_awlen_i[7:0]', 'cfg_awready_o'],
    ['AXI4-Lite', 'clk regs_m2s_write_aw_valid', 'regs_s2m_write_aw_ready'],
    ['APB', 'clk apb_i_psel apb_i_penable', 'apb_o_prdata[31:0] apb_o_pready'],
    ['APB', 'PCLK PSEL PENABLE PADDR[7:0]', 'PRDATA[31:0] PREADY'],
    ['AHB', 'HCLK HTRANS[1:0] HADDR[31:0]', 'HRDATA[31:0] HREADYOUT'],
    ['Avalon-MM', 'clk avs_write avs_writedata[31:0] avs_address[3:0]', 'avs_readdata[31:0]'],
    ['TileLink', 'clk tl_a_valid tl_a_opcode[2:0]', 'tl_d_valid'],
    ['AXI4-Stream', 'clk s_axis_tvalid', 's_axis_tready'],
  ])('%s', (name, inputs, outputs) => {
    const slave = problemOf({ name: 'm', ports: ports(inputs, outputs) });
    expect(slave).toMatch(new RegExp(`^its bus is ${name} \\([\\w, ]+\\), not Wishbone$`));
    const master = problemOf({ name: 'm', ports: ports(outputs, inputs) });
    expect(master).toMatch(new RegExp(`^it is a master of ${name} `));
  });

  test('suffixes like those of a stream are no bus', () => {
    const stream = ports('clk io_input_valid io_output_ready', 'io_input_ready io_output_valid');
    expect(problemOf({ name: 'm', ports: stream })).toMatch(/^it has no strobe/);
    const channel = ports('clk data_valid data_opcode', 'read_valid');
    expect(problemOf({ name: 'm', ports: channel })).toMatch(/^it has no strobe/);
  });

  test('ports with different prefixes are no bus', () => {
    const mixed = ports('exception_write read_address write_data_i', 'read_data_o');
    expect(problemOf({ name: 'm', ports: mixed })).toMatch(/^it has no strobe/);
  });

  test('next to a Wishbone slave they become pins, and a stream does not explain a missing acknowledge', () => {
    const bus = moduleOf(opencores);
    const bridge = { ...bus, ports: [...bus.ports, ...ports('m_awready', 'm_awvalid')] };
    expect(matched(bridge).module).toBe(bus.name);
    const stream = ports('stb_i s_tvalid', 's_tready');
    expect(problemOf({ name: 'm', ports: stream })).toBe('it has no acknowledge output (wb_ack)');
  });

  test('the module with the most bus ports is the nearest to a slave', () => {
    const plain = { name: 'plain', ports: ports('a', 'b') };
    const axi = { name: 'axi', ports: ports('s_awvalid', 's_awready') };
    const wide = { ...moduleOf({ ports: { ...opencores.ports, dat_w: 'wb_dat_i[63:0]' } }), name: 'wide' };
    expect(outcomeOf([plain, axi])).toMatchObject({ nearest: { module: 'axi' } });
    expect(outcomeOf([plain, axi, wide])).toMatchObject({ nearest: { module: 'wide' } });
  });
});
