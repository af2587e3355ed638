import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MatchedDesign, Port } from '../../../server/contract/designs.ts';
import { addressingOfUse } from '../../../server/toolchain/match/addressing.ts';
import type { CandidateModule } from '../../../server/toolchain/match/candidate.ts';
import { type MatchOutcome, matchDesign } from '../../../server/toolchain/match/match.ts';
import { nameTokens, readingsOf } from '../../../server/toolchain/match/port-names.ts';
import type { Role } from '../../../server/toolchain/match/roles.ts';
import { tieOf } from '../../../server/toolchain/match/ties.ts';
import { ACTIVE_LOW, DIALECTS, directionOf, moduleOf, port, SURVEYED } from './dialects.ts';

const outcomeOf = (modules: CandidateModule[], options = {}): MatchOutcome =>
  matchDesign(modules, options).outcome;

function matched(module: CandidateModule, options = {}): MatchedDesign & { notes: string[] } {
  const outcome = outcomeOf([module], options);
  if (outcome.kind !== 'matched')
    return expect.unreachable(`${outcome.kind}: ${matchDesign([module]).problems.get(module.name)?.text}`);
  return { ...outcome.design, notes: outcome.notes };
}

const problemOf = (module: CandidateModule) => matchDesign([module]).problems.get(module.name)?.text;
const contract = DIALECTS[0]!;
const opencores = DIALECTS[1]!;
const nameOf = (text: string) => port(text).name;

describe('conventions', () => {
  test.each(DIALECTS)('$title', ({ ports, addressing, resetActiveLow }) => {
    const design = matched(moduleOf({ ports }));
    expect(design.roles).toEqual(
      Object.fromEntries(Object.entries(ports).map(([role, text]) => [role, nameOf(text)])),
    );
    expect(design).toMatchObject({
      addressing,
      resetActiveLow: resetActiveLow ?? false,
      handshake: ports.stall ? 'pipelined' : 'classic',
      dataWidth: port(ports.dat_w!).width,
      addressWidth: port(ports.adr!).width,
      ties: [],
      open: [],
    });
  });

  const surveyed = Object.entries(SURVEYED).flatMap(([role, names]) =>
    names.map((name) => [role as Role, name] as const),
  );
  test.each(surveyed)('%s as %s, whatever the others are called', (role, name) => {
    for (const base of [contract, opencores, DIALECTS[3]!, DIALECTS[4]!, DIALECTS[5]!]) {
      const ports = { ...base.ports };
      // Optional outputs count only with the prefix of the bus: an err elsewhere is a status.
      if (['stall', 'err', 'rty'].includes(role)) {
        const prefix = (text: string) => readingsOf(nameOf(text))[0]!.prefix;
        if (prefix(name) !== prefix(ports.ack!)) continue;
      }
      const range = /\[.*/.exec(ports[role] ?? '')?.[0] ?? '';
      ports[role] = name + range;
      const design = matched(moduleOf({ ports }));
      expect(design.roles[role]).toBe(name);
      expect(Object.keys(design.roles)).toHaveLength(Object.keys(ports).length);
      if (role === 'rst') expect(design.resetActiveLow).toBe(ACTIVE_LOW.includes(name));
    }
  });
});

describe('what may be missing', () => {
  test.each([['rst'], ['cyc'], ['stb'], ['we'], ['adr'], ['dat_w'], ['sel'], ['dat_r'], ['clk'], ['err']] as [
    Role,
  ][])('a slave without %s is one all the same', (role) => {
    const { [role]: _, ...ports } = opencores.ports;
    expect(Object.keys(matched(moduleOf({ ports })).roles).sort()).toEqual(Object.keys(ports).sort());
  });

  test.each([
    [['ack'], 'it has no acknowledge output (wb_ack)'],
    [['stb', 'cyc'], 'it has no strobe or cycle input (wb_stb, wb_cyc)'],
    [
      ['ack', 'stb', 'cyc'],
      'it has no strobe or cycle input (wb_stb, wb_cyc) and no acknowledge output (wb_ack)',
    ],
    [['dat_w', 'dat_r'], 'it has neither write data (wb_dat_w) nor read data (wb_dat_r)'],
  ] as [Role[], string][])('without %s it is none', (roles, problem) => {
    const ports = Object.fromEntries(
      Object.entries(contract.ports).filter(([role]) => !roles.includes(role as Role)),
    );
    expect(problemOf(moduleOf({ ports }))).toBe(problem);
  });

  test('a master is no slave, and told apart by the directions', () => {
    const master = moduleOf(opencores);
    for (const one of master.ports) one.direction = one.direction === 'input' ? 'output' : 'input';
    expect(problemOf(master)).toContain('those of a master');
  });

  test.each([
    ['wb_dat_i[63:0]', 'dat_w', /wb_dat_i is 64 bits wide; 32 are possible at most/],
    ['wb_dat_o[32:0]', 'dat_r', /wb_dat_o is 33 bits wide/],
    ['wb_ack_o[1:0]', 'ack', /2 bits wide; a slave has one/],
  ] as [string, Role, RegExp][])('%s is refused', (text, role, problem) => {
    expect(problemOf(moduleOf({ ports: { ...opencores.ports, [role]: text } }))).toMatch(problem);
  });
});

test('data ports of 1 to 32 bits are data ports, whatever their widths are', () => {
  const width = fc.integer({ min: 1, max: 32 });
  fc.assert(
    fc.property(width, width, (written, read) => {
      const ports = {
        ...opencores.ports,
        dat_w: `wb_dat_i[${written - 1}:0]`,
        dat_r: `wb_dat_o[${read - 1}:0]`,
      };
      const design = matched(moduleOf({ ports }));
      expect(design.roles).toMatchObject({ dat_w: 'wb_dat_i', dat_r: 'wb_dat_o' });
      expect(design.dataWidth).toBe(Math.max(written, read));
      if (design.dataWidth < 32) expect(design.addressing).toBe('word');
    }),
  );
});

test('the port that is to blame is named', () => {
  const problem = (role: Role, text: string) =>
    matchDesign([moduleOf({ ports: { ...opencores.ports, [role]: text } })])
      .problems.values()
      .next().value;
  expect(problem('dat_w', 'wb_dat_i[63:0]')).toMatchObject({ port: 'wb_dat_i' });
  expect(problem('ack', 'wb_ack_o[1:0]')).toMatchObject({ port: 'wb_ack_o' });
  expect(problem('adr', 'wb_adr_i[64:0]')).toMatchObject({ port: 'wb_adr_i' });
});

describe('other ports of the module', () => {
  test('a master port beside the slave port is pins, as far as they go', () => {
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

  test('two slave ports in one module cannot be told apart', () => {
    const second = Object.entries(opencores.ports).map(([role, text]) =>
      port(text.replace('wb_', 'b_'), directionOf(role)),
    );
    expect(problemOf(moduleOf(opencores, second))).toBe(
      'it has more than one slave port (wb, b); one is possible',
    );
  });

  test('a small handshake beside the bus is no second bus', () => {
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

  test('loose spellings count beside the bus only', () => {
    const { adr: _, dat_w: __, sel: ___, ...ports } = opencores.ports;
    const loose = (prefix: string) => ['a[7:0]', 'din[31:0]', 'be[3:0]'].map((text) => port(prefix + text));
    expect(matched(moduleOf({ ports }, loose('wb_'))).roles).toMatchObject({
      adr: 'wb_a',
      dat_w: 'wb_din',
      sel: 'wb_be',
    });
    expect(matched(moduleOf({ ports }, loose(''))).ties.map(({ port }) => port)).toEqual(['a', 'din', 'be']);
  });

  test('a status called err, or data of another port, does not belong to the bus', () => {
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

  test('the same clock and reset by another name are connected, strange ones are not', () => {
    const others = ['clk', 'rst_n', 'rx_clk', 'phy_rst'].map((text) => port(text));
    const design = matched(moduleOf(opencores, others));
    expect(design.roles).toMatchObject({ clk: 'wb_clk_i', clk_2: 'clk', rst: 'wb_rst_i', rst_n_2: 'rst_n' });
    expect(design.ties.map(({ port }) => port)).toEqual(['rx_clk', 'phy_rst']);
    expect(matched(moduleOf(opencores, others), { ties: { rst_n: 1 } }).roles).not.toHaveProperty('rst_n_2');
  });

  test('where none is called asynchronous, the level is that of the reset beside the one of the bus', () => {
    for (const level of [0, 1]) {
      const module = { ...moduleOf(opencores, [port('rst_i')]), parameters: { ARST_LVL: level } };
      const design = matched(module);
      expect(design.roles['rst']).toBe('wb_rst_i');
      expect(design.resetActiveLow).toBe(false);
      expect(design.roles[level ? 'rst_2' : 'rst_n_2']).toBe('rst_i');
    }
  });

  test('the level of an OpenCores arst_i is that of its parameter', () => {
    for (const level of [0, 1]) {
      const design = matched({ ...moduleOf(opencores, [port('arst_i')]), parameters: { ARST_LVL: level } });
      expect(design.roles[level ? 'rst_2' : 'rst_n_2']).toBe('arst_i');
    }
  });

  test('a clock without a name for it is the input that registers wait for', () => {
    const ports = { ...opencores.ports, clk: 'CP12' };
    const design = matched({ ...moduleOf({ ports }), edges: { CP12: { rise: 9, fall: 0 } } });
    expect(design.roles['clk']).toBe('CP12');
  });

  test('burst tags are left at zero', () => {
    const others = [port('wb_cti_i[2:0]'), port('wb_bte_i[1:0]'), port('wb_lock_i')];
    expect(
      matched(moduleOf(opencores, others)).ties.map(({ value, reason }) => `${value} ${reason}`),
    ).toEqual(Array(3).fill('0 single classic transfers only'));
  });

  test.each([
    ['gpio_i[7:0]', 0],
    ['la_oenb[127:0]', 1],
    ['la_data_in[127:0]', 0],
    ['io_in[37:0]', 0],
    ['rx', 1],
    ['uart_rx', 1],
    ['i_uart_rx', 1],
    ['uartRx', 1],
    ['rxd_i', 1],
    ['srx_pad_i', 1],
    ['rx_data[7:0]', 0],
    ['scl_pad_i', 1],
    ['button_n', 1],
    ['btn_n_i[3:0]', 1],
    ['csb', 1],
    ['spi_cs_n', 1],
    ['spi_ss', 1],
    ['main', 0],
    ['sda_i', 1],
    ['i_ce', 1],
    ['clk_en', 1],
    ['clken_i', 1],
    ['enable', 0],
    ['force', 0],
    ['miso', 0],
    ['prefix', 0],
  ])('%s is tied to %i', (text, value) => {
    expect(tieOf(port(text))).toMatchObject({ port: nameOf(text), value, width: port(text).width });
  });
});

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
    ['wb_addr[29:0]', 'wb_wdata', 'wb_rdata', 32, 'word', /30 bits/],
    ['wb_addr[11:0]', 'wb_wdata', 'wb_rdata', 32, 'byte', /12 bits/],
    ['wb_addr[7:0]', 'wb_wdata', 'wb_rdata', 32, 'word', /8 bits/],
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
        addressingReason: 'chosen with the form field addressing',
      });
  });

  test('what the design does with its address goes before its name', () => {
    const module = moduleOf(opencores);
    const use = { highBits: true, index: false, multiples: [], others: [], unclear: false };
    const unit = (more: object) => matched({ ...module, addressUse: () => ({ ...use, ...more }) }).addressing;
    expect(unit({ index: true })).toBe('word');
    expect(unit({ others: ['01'] })).toBe('word');
    expect(unit({})).toBe('byte');
    expect(addressingOfUse({ ...use, unclear: true })).toBeNull();
    expect(addressingOfUse({ ...use, multiples: ['0100', '0100'] })).toBeNull();
    expect(addressingOfUse({ ...use, multiples: ['0100', '1000'] })?.addressing).toBe('byte');
    expect(addressingOfUse({ ...use, highBits: false })).toBeNull();
    expect(addressingOfUse(null)).toBeNull();
  });
});

describe('buses of other kinds', () => {
  const ports = (inputs: string, outputs: string): Port[] => [
    ...inputs.split(' ').map((name) => ({ ...port(name), direction: 'input' as const })),
    ...outputs.split(' ').map((name) => ({ ...port(name), direction: 'output' as const })),
  ];
  test.each([
    ['AXI4-Lite', 'aclk s_axil_awvalid s_axil_wvalid s_axil_arvalid', 's_axil_awready s_axil_arready'],
    ['AXI4-Lite', 'ACLK S_AXI_ARVALID S_AXI_RREADY', 'S_AXI_ARREADY S_AXI_RVALID'],
    ['AXI4', 'clk cfg_awvalid_i cfg_awlen_i[7:0]', 'cfg_awready_o'],
    ['APB', 'PCLK PSEL PENABLE PADDR[7:0]', 'PRDATA[31:0] PREADY'],
    ['AHB', 'HCLK HTRANS[1:0] HADDR[31:0]', 'HRDATA[31:0] HREADYOUT'],
    ['Avalon-MM', 'clk avs_write avs_writedata[31:0] avs_address[3:0]', 'avs_readdata[31:0]'],
    ['TileLink', 'clk tl_a_valid tl_a_opcode[2:0]', 'tl_d_valid'],
    ['AXI4-Stream', 'clk s_axis_tvalid', 's_axis_tready'],
  ])('%s', (name, inputs, outputs) => {
    const slave = problemOf({ name: 'm', ports: ports(inputs, outputs) });
    expect(slave).toMatch(new RegExp(`^its bus is ${name} \\([\\w, ]+\\), not Wishbone$`));
    const master = problemOf({ name: 'm', ports: ports(outputs, inputs) });
    expect(master).toMatch(new RegExp(`^it is the master of a bus of the kind ${name} `));
  });

  test('ports of different beginnings are no bus', () => {
    const mixed = ports('exception_write read_address write_data_i', 'read_data_o');
    expect(problemOf({ name: 'm', ports: mixed })).toMatch(/^it has no strobe/);
  });

  test('beside a Wishbone slave they are pins, and a stream is no reason where a strobe lacks its acknowledge', () => {
    const bus = moduleOf(opencores);
    const bridge = { ...bus, ports: [...bus.ports, ...ports('m_awready', 'm_awvalid')] };
    expect(matched(bridge).module).toBe(bus.name);
    const stream = ports('stb_i s_tvalid', 's_tready');
    expect(problemOf({ name: 'm', ports: stream })).toBe('it has no acknowledge output (wb_ack)');
  });

  test('the module that says most is the nearest to a slave', () => {
    const plain = { name: 'plain', ports: ports('a', 'b') };
    const axi = { name: 'axi', ports: ports('s_awvalid', 's_awready') };
    const wide = { ...moduleOf({ ports: { ...opencores.ports, dat_w: 'wb_dat_i[63:0]' } }), name: 'wide' };
    expect(outcomeOf([plain, axi])).toMatchObject({ nearest: { module: 'axi' } });
    expect(outcomeOf([plain, axi, wide])).toMatchObject({ nearest: { module: 'wide' } });
  });
});

describe('which module', () => {
  const named = (name: string, instantiates: string[] = []): CandidateModule => ({
    ...moduleOf(opencores),
    name,
    instantiates,
  });
  const other = (name: string, instantiates: string[] = []): CandidateModule => ({
    name,
    instantiates,
    ports: [port('a')],
  });

  test.each([
    ['one', [named('a')], 'a'],
    ['a slave with a slave inside', [named('a'), named('b', ['a'])], 'b'],
    ['one far inside', [named('a'), other('x', ['a']), named('b', ['x'])], 'b'],
    ['a slave inside another thing', [named('a'), other('soc', ['a'])], 'a'],
    ['instances of itself', [named('a', ['a'])], 'a'],
  ] as [string, CandidateModule[], string][])('%s', (_, modules, chosen) => {
    expect(outcomeOf(modules)).toMatchObject({ kind: 'matched', design: { module: chosen } });
  });

  test('none, two, and the field top', () => {
    expect(outcomeOf([])).toMatchObject({ kind: 'none' });
    expect(outcomeOf([other('a')])).toMatchObject({ kind: 'none' });
    const two = [named('a'), named('b'), other('x', ['a', 'b'])];
    expect(outcomeOf(two)).toEqual({ kind: 'ambiguous', candidates: ['a', 'b'] });
    expect(outcomeOf(two, { top: 'b' })).toMatchObject({ kind: 'matched', design: { module: 'b' } });
    expect(outcomeOf(two, { top: 'B' })).toMatchObject({ kind: 'matched', design: { module: 'b' } });
    expect(outcomeOf(two, { top: 'x' })).toMatchObject({ kind: 'top is no slave', top: 'x' });
    expect(outcomeOf(two, { top: 'c' })).toMatchObject({ kind: 'unknown top', modules: ['a', 'b', 'x'] });
  });

  test.each([
    ['two slave ports', [], 'several'],
    ['a master', ['cyc_o', 'stb_o', 'ack_i'], 'master'],
  ])('a part of a module with %s is not the design', (_, names, kind) => {
    const owner: CandidateModule = {
      name: 'soc',
      instantiates: ['wrap'],
      ports:
        kind === 'several'
          ? ['a_', 'b_'].flatMap((prefix) =>
              ['cyc_i', 'stb_i', 'we_i', 'adr_i[7:0]', 'dat_i[31:0]']
                .map((name) => port(prefix + name))
                .concat(
                  ['ack_o', 'dat_o[31:0]'].map((name) => ({ ...port(prefix + name), direction: 'output' })),
                ),
            )
          : names.map((name) => ({ ...port(name), direction: name.endsWith('o') ? 'output' : 'input' })),
    };
    const modules = [named('part'), other('wrap', ['part']), owner];
    const { outcome, problems } = matchDesign(modules);
    expect(outcome).toMatchObject({ kind: 'none', nearest: { module: 'soc', problem: { bus: { kind } } } });
    expect(problems.get('soc')?.text).toMatch(/; top=part builds part, a part of it, alone$/);
    expect(outcomeOf(modules, { top: 'part' })).toMatchObject({
      kind: 'matched',
      design: { module: 'part' },
    });
    // Another slave beside it is the design.
    expect(outcomeOf([...modules, named('free')])).toMatchObject({ design: { module: 'free' } });
  });
});

describe('properties', () => {
  const PREFIXES = ['', 'wb_', 'wbs_', 's_', 'wishbone_', 'slave_', 'bus_', 'gpio_wb_', 'uart0_', 'my_core_'];
  const STEMS: Record<Role, string[]> = {
    clk: ['clk', 'clock'],
    rst: ['rst', 'reset', 'rst_n', 'resetn', 'nrst'],
    cyc: ['cyc'],
    stb: ['stb'],
    we: ['we'],
    adr: ['adr', 'addr', 'address'],
    dat_w: ['dat', 'data', 'wdata', 'dat_w', 'dat_mosi', 'wdat', 'data_w'],
    sel: ['sel'],
    dat_r: ['dat', 'data', 'rdata', 'dat_r', 'dat_miso', 'rdt', 'data_r'],
    ack: ['ack'],
    stall: ['stall'],
    err: ['err'],
    rty: ['rty'],
  };
  const OPTIONAL: Role[] = ['rst', 'cyc', 'sel', 'we', 'adr', 'stall', 'err', 'rty'];
  const GENERIC = ['', 'wb_', 'wbs_', 's_', 'bus_'];

  const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const styles = fc.constantFrom(
    (name: string) => name,
    (name: string) => name.toUpperCase(),
    camel,
    (name: string) =>
      name.replace(/(\w+?)_(.*)/, (_, head: string, tail: string) => `${head}_${tail.toUpperCase()}`),
  );
  const marks = fc.constantFrom<(name: string, output: boolean) => string>(
    (name) => name,
    (name, output) => `${name}_${output ? 'o' : 'i'}`,
    (name, output) => `${output ? 'o' : 'i'}_${name}`,
    (name, output) => `${name}_${output ? 'out' : 'in'}`,
    (name) => `io_${name}`,
  );

  const slaves = fc
    .record({
      prefix: fc.constantFrom(...PREFIXES),
      missing: fc.uniqueArray(fc.constantFrom(...OPTIONAL)),
      stems: fc.record(
        Object.fromEntries(
          Object.entries(STEMS).map(([role, names]) => [role, fc.constantFrom(...names)]),
        ) as Record<Role, fc.Arbitrary<string>>,
      ),
      // Of a bus with a name of its own every signal carries it; else each may have another.
      others: fc.record(
        Object.fromEntries(Object.keys(STEMS).map((role) => [role, fc.constantFrom(...GENERIC)])) as Record<
          Role,
          fc.Arbitrary<string>
        >,
      ),
      mixed: fc.boolean(),
      // The mark of the direction varies from port to port, the style of writing does not.
      marks: fc.record(
        Object.fromEntries(Object.keys(STEMS).map((role) => [role, marks])) as Record<Role, typeof marks>,
      ),
      style: styles,
      width: fc.integer({ min: 1, max: 32 }),
      shuffle: fc.infiniteStream(fc.nat()),
    })
    .map(({ prefix, missing, stems, others, mixed, marks: mark, style, width, shuffle }) => {
      const ports: [Role, Port][] = [];
      for (const role of Object.keys(STEMS) as Role[]) {
        if (missing.includes(role)) continue;
        const own = ['clk', 'rst'].includes(role)
          ? GENERIC.includes(prefix)
            ? prefix
            : ''
          : mixed && GENERIC.includes(prefix) && !['ack', 'stb', 'stall', 'err', 'rty'].includes(role)
            ? others[role]
            : prefix;
        const output = directionOf(role) === 'output';
        const name = style(mark[role](own + stems[role], output));
        const bits = ['dat_w', 'dat_r'].includes(role)
          ? width
          : role === 'adr'
            ? 12
            : role === 'sel'
              ? width / 8
              : 1;
        ports.push([role, { name, direction: output ? 'output' : 'input', width: bits, offset: 0 }]);
      }
      const order = ports
        .map((one) => [shuffle.next().value as number, one] as const)
        .sort((a, b) => a[0] - b[0]);
      return {
        ports: order.map(([, one]) => one),
        prefix,
        activeLow: /n/.test(stems.rst.replace('reset', '')),
      };
    })
    // Two ports of one name are no module.
    .filter(({ ports }) => new Set(ports.map(([, { name }]) => name)).size === ports.length);

  test('every spelling of a slave is matched to the right roles', () => {
    fc.assert(
      fc.property(slaves, ({ ports, activeLow }) => {
        const design = matched({ name: 'm', ports: ports.map(([, one]) => one) });
        expect(design.roles).toEqual(Object.fromEntries(ports.map(([role, { name }]) => [role, name])));
        if (design.roles['rst']) expect(design.resetActiveLow).toBe(activeLow);
        expect(design.ties).toEqual([]);
        expect(design.open).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  const words =
    'wb wbs i o io in out clk rst n ni stb cyc ack we adr dat data w r sel stall err rty cti x 0 a q'.split(
      ' ',
    );
  const anyName = fc.oneof(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_')),
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  );
  const anyPort: fc.Arbitrary<Port> = fc.record({
    name: anyName,
    direction: fc.constantFrom('input' as const, 'output' as const, 'inout' as const),
    width: fc.oneof(fc.constantFrom(1, 1, 8, 16, 32), fc.integer({ min: 0, max: 200 })),
    offset: fc.integer({ min: -2, max: 40 }),
  });

  test('any ports at all: an outcome, every port accounted for once', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            name: fc.constantFrom('a', 'b', 'c', 'd'),
            ports: fc.uniqueArray(anyPort, { selector: ({ name }) => name, maxLength: 25 }),
            instantiates: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 2 }),
          }),
          { maxLength: 3 },
        ),
        fc.record(
          {
            top: fc.constantFrom('a', 'A', 'zz', 'constructor'),
            addressing: fc.constantFrom('byte' as const, 'word' as const),
            ties: fc.dictionary(anyName, fc.constantFrom(0 as const, 1 as const), { maxKeys: 2 }),
          },
          { requiredKeys: [] },
        ),
        (modules, options) => {
          const { outcome, problems } = matchDesign(modules, options);
          for (const { name } of modules) expect(problems.has(name)).toBe(true);
          if (outcome.kind !== 'matched') return;
          const { roles, ties, open, ports } = outcome.design;
          const used = [...Object.values(roles), ...ties.map((tie) => tie.port), ...open];
          expect(used.sort()).toEqual(ports.map(({ name }) => name).sort());
          for (const { name, direction } of ports)
            expect(open.includes(name)).toBe(direction !== 'input' && !Object.values(roles).includes(name));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a name is read the same in any case and with any underscores', () => {
    expect(nameTokens('wbCycI')).toEqual(['wb', 'cyc', 'i']);
    expect(nameTokens('io_wbs_DAT_MISO')).toEqual(['io', 'wbs', 'dat', 'miso']);
    for (const name of ['wb_cyc_i', 'WB_CYC_I', 'wbCycI', 'wb_CYC', '_wb__cyc_', 'WBCYCI', 'wbcyc'])
      expect(readingsOf(name)[0]).toEqual({ stem: 'cyc', prefix: 'wb', weak: false });
    for (const name of ['track', 'black', 'stack', 'cycles', 'sel_out_of_range', 'webcam', 'client', 'burst'])
      expect(readingsOf(name).filter(({ weak }) => !weak)).toEqual([]);
  });
});
