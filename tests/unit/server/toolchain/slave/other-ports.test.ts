import { describe, expect, test } from 'vitest';
import { IDLE_LEVELS } from '../../../../../server/toolchain/slave/idle-levels.ts';
import { tieOf } from '../../../../../server/toolchain/slave/ties.ts';
import { DIALECTS, directionOf, moduleOf, port } from '../../../../support/toolchain/slave/dialects.ts';
import { matched, nameOf, opencores, problemOf } from '../../../../support/toolchain/slave/matched.ts';

describe('other ports of the module', () => {
  test('a master port next to the slave port becomes pins, as far as they reach', () => {
    const others = ['wbm_dat_i[31:0]', 'wbm_ack_i'].map((text) => port(text));
    others.push(
      ...['wbm_adr_o[31:0]', 'wbm_dat_o[31:0]', 'wbm_cyc_o', 'wbm_stb_o'].map((text) => port(text, 'output')),
    );
    const design = matched(moduleOf(DIALECTS[5]!, others));
    expect(design.roles).toMatchObject({ dat_w: 'wbs_dat_i', dat_r: 'wbs_dat_o', ack: 'wbs_ack_o' });
    expect(design.ties.map(({ port }) => port)).toEqual(['wbm_dat_i', 'wbm_ack_i']);
    const places = design.pins?.map(({ name, direction, at }) => [name, direction, at]);
    expect(places).toEqual([
      ['wbm_dat_i', 'input', 0],
      ['wbm_ack_i', 'input', 32],
      ['wbm_adr_o', 'output', 0],
      ['wbm_dat_o', 'output', 32],
    ]);
    expect(design.open).toEqual(['wbm_cyc_o', 'wbm_stb_o']); // 64 bits are all that there are
  });

  test('two slave ports in one module are ambiguous', () => {
    const second = Object.entries(opencores.ports).map(([role, text]) =>
      port(text.replace('wb_', 'b_'), directionOf(role)),
    );
    expect(problemOf(moduleOf(opencores, second))).toBe(
      'it has more than one slave port (wb, b); the bench connects only one',
    );
  });

  test('a small handshake next to the bus is no second bus', () => {
    const stream = [
      port('tx_stb'),
      port('tx_data[7:0]'),
      port('tx_ack', 'output'),
      port('tx_stall', 'output'),
    ];
    expect(matched(moduleOf(opencores, stream)).roles).toMatchObject({ stb: 'wb_stb_i', ack: 'wb_ack_o' });
    const bus = ['tx_we', 'tx_adr[3:0]'].map((text) => port(text));
    expect(problemOf(moduleOf(opencores, [...stream, ...bus]))).toContain(
      'more than one slave port (wb, tx)',
    );
  });

  test('an acknowledge and a strobe of two other buses are no bus; one without a prefix fits any', () => {
    const named = (ack: string, request: string) => {
      const { ack: _, stb: __, cyc: ___, ...ports } = opencores.ports;
      return moduleOf({ ports }, [port(request), port(ack, 'output')]);
    };
    expect(problemOf(named('tx_ack', 'rx_stb'))).toBe(
      'its acknowledge (tx_ack) and its strobe (rx_stb) do not belong together',
    );
    expect(matched(named('ack', 'rx_stb')).roles).toMatchObject({ ack: 'ack', stb: 'rx_stb' });
    expect(matched(named('tx_ack', 'stb')).roles).toMatchObject({ ack: 'tx_ack', stb: 'stb' });
  });

  test('the port with the prefix of the bus goes before one without', () => {
    const others = ['adr[7:0]', 'dat[31:0]', 'sel[3:0]'].map((text) => port(text));
    for (const module of [moduleOf(opencores, others), moduleOf(opencores)]) {
      const ports = [...module.ports].reverse();
      expect(matched({ ...module, ports }).roles).toMatchObject({
        adr: 'wb_adr_i',
        dat_w: 'wb_dat_i',
        sel: 'wb_sel_i',
      });
    }
  });

  test('a usual spelling goes before a loose one, in any order', () => {
    const { dat_w: _, ...ports } = opencores.ports;
    const module = moduleOf({ ports }, [port('wb_din[31:0]'), port('dat_i[31:0]')]);
    for (const order of [module.ports, [...module.ports].reverse()])
      expect(matched({ ...module, ports: order }).roles).toMatchObject({ dat_w: 'dat_i' });
  });

  test('a tied reset leaves the byte enables to the bus', () => {
    const { roles } = matched(moduleOf(opencores), { ties: { wb_rst_i: 0 } });
    expect(roles).not.toHaveProperty('rst');
    expect(roles).toMatchObject({ sel: 'wb_sel_i' });
  });

  test('loose spellings count only with the prefix of the bus', () => {
    const { adr: _, dat_w: __, sel: ___, ...ports } = opencores.ports;
    const loose = (prefix: string) => ['a[7:0]', 'din[31:0]', 'be[3:0]'].map((text) => port(prefix + text));
    expect(matched(moduleOf({ ports }, loose('wb_'))).roles).toMatchObject({
      adr: 'wb_a',
      dat_w: 'wb_din',
      sel: 'wb_be',
    });
    expect(matched(moduleOf({ ports }, loose(''))).ties.map(({ port }) => port)).toEqual(['a', 'din', 'be']);
  });

  test('a status called err, or another port’s data, does not belong to the bus', () => {
    const { err: _, dat_w: __, ...ports } = opencores.ports;
    const design = matched(
      moduleOf({ ports }, [
        ...['error', 'err_o', 'fifo_err'].map((text) => port(text, 'output')),
        port('adc_data[31:0]'),
      ]),
    );
    expect(design.roles).not.toHaveProperty('err');
    expect(design.roles).not.toHaveProperty('dat_w');
  });

  test('the bus clock and reset under other names are connected, unrelated ones are not', () => {
    const others = ['clk', 'rst_n', 'rx_clk', 'phy_rst'].map((text) => port(text));
    const design = matched(moduleOf(opencores, others));
    expect(design.roles).toMatchObject({ clk: 'wb_clk_i', clk_2: 'clk', rst: 'wb_rst_i', rst_n_2: 'rst_n' });
    expect(design.ties.map(({ port }) => port)).toEqual(['rx_clk', 'phy_rst']);
    expect(matched(moduleOf(opencores, others), { ties: { rst_n: 1 } }).roles).not.toHaveProperty('rst_n_2');
  });

  test('a clock with an unusual name is found by its register edges', () => {
    const ports = { ...opencores.ports, clk: 'CP12' };
    const design = matched({
      ...moduleOf({ ports }),
      registerInputs: { CP12: { rise: 9, fall: 0, resets: 0, low: 0, high: 0 } },
    });
    expect(design.roles['clk']).toBe('CP12');
  });

  const LOW = { rise: 0, fall: 8, resets: 8, low: 0, high: 0 };

  test('a reset with an unusual name is found by the registers that it resets', () => {
    const { rst: _, ...ports } = opencores.ports;
    const found = (...also: string[]) => {
      const registerInputs = {
        wb_clk_i: { rise: 9, fall: 0, resets: 0, low: 0, high: 0 },
        ...Object.fromEntries(also.map((one) => [one, LOW])),
      };
      return matched({ ...moduleOf({ ports }, [port('nclr')]), registerInputs });
    };
    expect(found('nclr')).toMatchObject({ roles: { rst: 'nclr' }, resetActiveLow: true, ties: [] });
    expect(found('wb_we_i').roles['rst']).toBeUndefined();
  });

  test('an asynchronous reset next to the reset stays a pin, at its inactive level', () => {
    const design = matched({ ...moduleOf(opencores, [port('por')]), registerInputs: { por: LOW } });
    expect(design.ties).toMatchObject([
      { port: 'por', value: 1, reason: 'an active-low asynchronous reset' },
    ]);
  });

  test('burst tags are tied to zero', () => {
    const others = [port('wb_cti_i[2:0]'), port('wb_bte_i[1:0]'), port('wb_lock_i')];
    expect(
      matched(moduleOf(opencores, others)).ties.map(({ value, reason }) => `${value} ${reason}`),
    ).toEqual(Array(3).fill('0 single classic transfers only'));
  });

  test.each(
    IDLE_LEVELS.flatMap(({ level, reason, examples }) =>
      examples.map((name): [string, number, string] => [name, level, reason]),
    ),
  )('%s is initially %i: %s', (name, value, reason) => {
    expect(tieOf(port(name))).toEqual({ port: name, width: 1, value, reason });
  });

  test.each([
    'gpio_i[7:0]',
    'la_data_in[127:0]',
    'io_in[37:0]',
    'rx_data[7:0]',
    'main',
    'enable',
    'force',
    'prefix',
    // SPI: data and the clock of mode 0; SDRAM: data; JTAG: the clock.
    ...['miso', 'mosi_i', 'sck_i', 'sdram_dq[15:0]', 'tck_pad_i'],
    // Ethernet: no frame, no collision, and a line that is free to send on.
    ...['mrx_dv_pad_i', 'mii_rx_er', 'mcrs_pad_i', 'mcoll_pad_i', 'rmii_crs_dv', 'mrxd_pad_i[3:0]'],
    // A ring without a mark: uart16550, whose ring SoCs tie to 0.
    ...['ri_pad_i', 'sd_cd'],
  ])('%s is initially 0', (text) => {
    expect(tieOf(port(text))).toMatchObject({ port: nameOf(text), value: 0, width: port(text).width });
  });

  test('every bit of a wide port is tied so', () => {
    expect(tieOf(port('la_oenb[127:0]'))).toMatchObject({ width: 128, value: 1 });
  });

  test('modem lines of a UART are idle at levels that let it send', () => {
    const lines = ['rx', 'cts_n', 'dsr_n', 'dcd_n', 'ri_n'].map((text) => port(text));
    expect(matched(moduleOf(opencores, lines)).pins?.map(({ name, high }) => [name, high])).toEqual([
      ['rx', true],
      ['cts_n', false],
      ['dsr_n', false],
      ['dcd_n', false],
      ['ri_n', true],
    ]);
  });
});
