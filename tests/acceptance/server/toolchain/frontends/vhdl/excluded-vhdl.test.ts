import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import { toolchainError } from '../../../../../../server/errors/toolchain.ts';
import { translateExcluding } from '../../../../../../server/toolchain/frontends/vhdl/excluded-vhdl.ts';
import {
  findGhdl,
  type ReadEntities,
  readVhdl,
} from '../../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import { metDefect } from '../../../../../../server/toolchain/frontends/vhdl/ghdl-unbuilt.ts';
import { prepareDesign } from '../../../../../../server/toolchain/intake/design.ts';
import type { PreparedDesign } from '../../../../../../server/toolchain/intake/prepared-design.ts';
import { packProject, projectOfFiles } from '../../../../../../server/toolchain/intake/project.ts';
import { freshToolchain, record, requestOf } from '../../../../../support/toolchain/build/support.ts';

const ghdl = await findGhdl(systemClock);
const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const USES = 'library ieee; use ieee.std_logic_1164.all;\n';
const BUS = `clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(1 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic`;
const slave = (
  body = 'wb_dat_r <= wb_dat_w;',
  declarations = '',
) => `${USES}entity top is port (${BUS}); end entity;
architecture rtl of top is${declarations}
begin
  wb_ack <= wb_cyc and wb_stb;
  ${body}
end architecture;
`;
/** With a mistake in line 4. */
const broken = (
  name: string,
  ports = 'a : in std_logic; b : out std_logic',
  uses = '',
) => `${USES}${uses}entity ${name} is port (${ports}); end entity;
architecture rtl of ${name} is begin
  b = a;
end architecture;
`;

/** The result of a project's scan, and the log of its job. */
async function scan(files: Record<string, string>, top?: string) {
  const context = record();
  const sent = Object.entries(files).map(([path, text]) => ({ path, contents: Buffer.from(text) }));
  const source = packProject(await projectOfFiles(sent, 2 ** 20));
  const request = requestOf(source, 'some.zip', top === undefined ? {} : { top });
  const { matched, diagnostics } = await toolchain.scan(request, context);
  const found = diagnostics.map(
    ({ severity, file, line, message }) => `${severity} ${file}:${line}: ${message}`,
  );
  return { matched: matched?.module ?? null, found, log: context.text() };
}

const MISTAKE = '`=` compares: assign a signal with `<=`, a variable with `:=`';
const EXCLUDED = 'this file is excluded, because top does not need it';

describe.skipIf(!ghdl)('an unreadable source in VHDL', () => {
  test('is excluded with a warning if the slave does not need it', async () => {
    const { matched, found, log } = await scan({ 'top.vhd': slave(), 'sim/model.vhd': broken('model') });
    expect(matched).toBe('top');
    expect(found).toEqual([`warning sim/model.vhd:4: ${EXCLUDED}: ${MISTAKE}`]);
    expect(log).toContain(`warning: sim/model.vhd:4: ${EXCLUDED}`);
    expect(log).not.toContain('error:');
  });

  test('is also excluded if it accesses files', async () => {
    const model = `${USES}use std.textio.all;
entity model is port (a : in std_logic); end entity;
architecture sim of model is
  file f : text open read_mode is "stimuli.txt";
begin
  process (a) variable l : line; begin readline(f, l); end process;
end architecture;
`;
    const { matched, found } = await scan({ 'top.vhd': slave(), 'sim/model.vhd': model });
    expect(matched).toBe('top');
    expect(found[0]).toMatch(
      /^warning sim\/model\.vhd:5: this file is excluded, because top does not need it: file/,
    );
  });

  test('reports an error of the design before one of its tests', async () => {
    const { matched, found } = await scan({
      'rtl/top.vhd': slave('wb_dat_r = wb_dat_w;'),
      'sim/model.vhd': broken('model'),
      'rtl/part.vhd': broken('part').replace('b = a', 'b <= a'),
    });
    expect(matched).toBeNull();
    expect(found[0]).toBe(`error rtl/top.vhd:7: ${MISTAKE}`);
  });

  test('does not translate entities again that it translated before the error', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'counted-'));
    const counting = path.join(folder, 'ghdl');
    await writeFile(counting, `#!/bin/sh\necho >> ${folder}/runs\nexec ${ghdl?.path} "$@"\n`, {
      mode: 0o755,
    });
    const files = {
      'model.vhd': broken('model'),
      'a.vhd': slave(),
      'b.vhd': slave().replaceAll('top', 'other'),
    };
    const sent = Object.entries(files).map(([name, text]) => ({ path: name, contents: Buffer.from(text) }));
    const { design } = await prepareDesign(
      requestOf(packProject(await projectOfFiles(sent, 2 ** 20)), 'some.zip'),
    );
    const host = { ghdl: { path: counting, version: 'GHDL' }, sandbox: null, clock: systemClock };
    const done: ReadEntities = new Map();
    const made = await translateExcluding(design, record(), systemClock, (rest, own) =>
      readVhdl(host, rest, { top: undefined, capacity: null, done }, own),
    );
    expect(made?.excluded?.sources.map(({ path: file }) => file)).toEqual(['project/model.vhd']);
    // Two entities, and the one that could not be.
    expect((await readFile(path.join(folder, 'runs'), 'utf8')).length).toBe(3);
    await rm(folder, { recursive: true });
  });

  test('is excluded together with the sources that need it', async () => {
    const words = `${USES}package words is\n  subtype word is std_logic_vector(31 downto 0)\nend package;\n`;
    const { matched, found } = await scan({
      'top.vhd': slave(),
      'sim/model.vhd': broken('model', undefined, 'use work.words.all;\n').replace('b = a', 'b <= a'),
      'sim/words.vhd': words,
    });
    expect(matched).toBe('top');
    expect(found).toEqual([
      expect.stringMatching(/^warning sim\/words\.vhd:3: this file is excluded, .*: a `;` is missing after /),
      `warning sim/model.vhd:2: ${EXCLUDED}: it needs \`words\` of sim/words.vhd, which is excluded`,
    ]);
  });

  test.each<[string, string]>([
    ['an instance', 'u : entity work.part port map (a => wb_we, b => wb_dat_r(0));'],
    ['an instance of a component', 'u : part port map (a => wb_we, b => wb_dat_r(0));'],
  ])('is the reported error if the slave needs it, as %s', async (_, body) => {
    const component = '\n  component part is port (a : in std_logic; b : out std_logic); end component;';
    const { matched, found } = await scan({
      'top.vhd': slave(body, body.startsWith('u : part') ? component : ''),
      'part.vhd': broken('part'),
    });
    expect(matched).toBeNull();
    expect(found[0]).toBe(`error part.vhd:4: ${MISTAKE}`);
  });

  test('reports a component without an entity', async () => {
    const component = '\n  component part is port (a : in std_logic; b : out std_logic); end component;';
    const { matched, found } = await scan({
      'top.vhd': slave('u : part port map (a => wb_we, b => wb_dat_r(0));', component),
    });
    expect(matched).toBeNull();
    expect(found[0]).toMatch(/^error top\.vhd:8: module part \(instance u in top\) is not in /);
  });

  test('accepts a component of the FPGA itself', async () => {
    const ports = 'USER_SIGNAL_TO_GLOBAL_BUFFER : in std_logic; GLOBAL_BUFFER_OUTPUT : out std_logic';
    const cell = 'USER_SIGNAL_TO_GLOBAL_BUFFER => wb_we, GLOBAL_BUFFER_OUTPUT => wb_dat_r(0)';
    const component = `\n  component SB_GB is port (${ports}); end component;`;
    const { matched } = await scan({ 'top.vhd': slave(`u : SB_GB port map (${cell});`, component) });
    expect(matched).toBe('top');
  });

  test('is the reported error if it may be a slave itself; top selects the intended one', async () => {
    const files = {
      'top.vhd': slave(),
      'other.vhd': broken('other', `${BUS}; a : in std_logic; b : out std_logic`),
    };
    const { matched, found } = await scan(files);
    expect(matched).toBeNull();
    expect(found[0]).toMatch(/^error other\.vhd:\d+: .*; top=top builds top without this file$/);
    const chosen = await scan(files, 'top');
    expect(chosen.matched).toBe('top');
    expect(chosen.found).toEqual([]);
  });

  test('is the reported error if it instantiates the slave', async () => {
    const around = broken('board').replace(
      'begin\n',
      'signal s : std_logic; begin\n  u : entity work.top;\n',
    );
    const { matched, found } = await scan({ 'top.vhd': slave(), 'board.vhd': around });
    expect(matched).toBeNull();
    expect(found[0]).toMatch(/^error board\.vhd:5: .*; top=top builds top without this file$/);
  });

  test('is the reported error if another source has its name', async () => {
    const { matched, found } = await scan({
      'top.vhd': slave(),
      'a/part.vhd': broken('part'),
      'b/part.vhd': broken('part').replace('b = a', 'b <= a'),
    });
    expect(matched).toBeNull();
    expect(found[0]).toMatch(/^error a\/part\.vhd:4/);
  });
});

describe.skipIf(!ghdl)('an entity that cannot be built on its own', () => {
  const unvalued = (name: string, ports: string, body: string) =>
    slave(body)
      .replaceAll('top', name)
      .replace('port (', 'generic (BASE : natural);\n  port (')
      .replace(BUS, ports);
  const PART = `${USES}entity part is port (a : in std_logic; b : out std_logic); end entity;
architecture rtl of part is begin b <= a; end architecture;
`;
  const SAID =
    'the generic `base` of `other` has no value, and no instance sets one: write one after its type';

  test('is the reported error if only it has the ports of a slave', async () => {
    const { matched, found } = await scan({
      'other.vhd': unvalued('other', BUS, 'p : entity work.part port map (clk, wb_dat_r(0));'),
      'part.vhd': PART,
    });
    expect(matched).toBeNull();
    expect(found[0]).toContain(`error other.vhd:2: ${SAID}`);
  });

  test.each([
    ['directly', 'entity work.inner', ''],
    [
      'as a component',
      'inner',
      'component inner is generic (BASE : natural); port (a : in std_logic); end component;',
    ],
  ])('is the reported error, not a part that it instantiates %s', async (_, unit, declared) => {
    const whole = unvalued('other', BUS, `u : ${unit} generic map (BASE) port map (clk);`).replace(
      /(architecture .* is)/,
      `$1\n${declared}`,
    );
    const part = `${USES}entity inner is generic (BASE : natural); port (a : in std_logic); end entity;
architecture rtl of inner is begin end architecture;
`;
    for (const files of [{ 'other.vhd': `${whole}${part}` }, { 'inner.vhd': part, 'other.vhd': whole }]) {
      const { matched, found } = await scan(files);
      expect(matched).toBeNull();
      expect(found[0]).toContain(SAID);
    }
  });

  test('is the reported error if the slave is a part of it; top selects the intended one', async () => {
    const ports = BUS.replaceAll('wb_', 'x_');
    const inside =
      'u : entity work.Top port map (clk, rst, x_cyc, x_stb, x_we, x_adr, x_dat_w, x_dat_r, x_ack);';
    const around = unvalued('other', ports, inside).replace('  wb_ack <= wb_cyc and wb_stb;\n', '');
    const files = { 'other.vhd': around, 'top.vhd': slave().replaceAll('top', 'Top') };
    const { matched, found } = await scan(files);
    expect(matched).toBeNull();
    expect(found[0]).toContain(`error other.vhd:2: ${SAID}`);
    expect(found[0]).toMatch(/; top=Top builds only Top, a part of it$/);
    expect((await scan(files, 'top')).matched).toBe('Top');
  });

  test('is not the reported error next to a bus of another kind', async () => {
    const axi = PART.replace(
      'a : in std_logic; b : out',
      's_awvalid : in std_logic; s_awready : out',
    ).replace('b <= a', 's_awready <= s_awvalid');
    const { found } = await scan({ 'other.vhd': unvalued('other', BUS, ''), 'part.vhd': axi });
    expect(found[0]).toContain('module part: its bus is AXI4-Lite');
  });

  test('is not an error next to a slave', async () => {
    const files = { 'other.vhd': unvalued('other', BUS, ''), 'top.vhd': slave() };
    expect(await scan(files)).toMatchObject({ matched: 'top', found: [] });
  });

  test('accepts a memory that a reset clears, despite GHDL 2’s netlist', async () => {
    const { matched, found } = await scan({
      'top.vhd': slave(
        `process (rst, clk) begin
    if rst = '1' then m <= (others => (others => '0'));
    elsif rising_edge(clk) then
      if wb_stb = '1' then
        if wb_we = '0' then z <= '1'; elsif wb_cyc = '1' then m(to_integer(unsigned(wb_adr))) <= wb_dat_w; end if;
      end if;
    end if;
  end process;
  wb_dat_r <= m(to_integer(unsigned(wb_adr)));`,
        '\n  type t is array (0 to 3) of std_logic_vector(31 downto 0); signal m : t; signal z : std_logic;',
      ).replace('1164.all;', '1164.all; use ieee.numeric_std.all;'),
    });
    expect(found.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(matched).toBe('top');
  });

  test('with a bug of GHDL is reported with its place', () => {
    const sources = { units: ['a.vhd', 'b.vhd'], texts: [PART, `\n${slave()}`] };
    expect(metDefect(sources, 'top', 'GHDL 9', '').error).toMatchObject({
      ...{ file: 'b.vhd', line: 3, message: expect.stringMatching(/^`top` triggers a bug in GHDL 9: /) },
    });
    const executed = ['a.vhd 7', 'b.vhd 12', '/lib/numeric_std.vhdl 9'];
    const output = executed.map((at) => `Execute statement at ${at}\n`).join('');
    expect(metDefect(sources, 'top', 'GHDL 9', output).error).toMatchObject({
      ...{ file: 'b.vhd', line: 12, message: expect.stringContaining('at this statement, or behind it') },
    });
  });

  test('at which GHDL fails is reported at the statement', async () => {
    const part = 's(to_integer(unsigned(wb_adr)) + 3 downto to_integer(unsigned(wb_adr)))';
    const { found } = await scan({
      'top.vhd': slave(
        `process (clk) begin
    if rising_edge(clk) then
      ${part} <= "0101";
    end if;
  end process;
  wb_dat_r <= s;`,
        '\n  signal s : std_logic_vector(31 downto 0);',
      ).replace('1164.all;', '1164.all; use ieee.numeric_std.all;'),
    });
    expect(found).toEqual([
      expect.stringMatching(/top\.vhd:\d+.* triggers a bug in GHDL .* at this statement/),
    ]);
  });
});

test('excludes only a few sources if each translation is slow', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const files = Object.fromEntries(names.map((name) => [`${name}.vhd`, broken(name)]));
  const source: PreparedDesign = {
    language: 'vhdl',
    files,
    units: Object.keys(files),
    uploaded: Object.keys(files),
    notes: [],
    diagnostics: [],
  };
  let now = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const tried: number[] = [];
  const refusal = await translateExcluding(source, { log() {}, progress() {} }, clock, async ({ units }) => {
    now += 12_000;
    tried.push(units.length);
    const error = { severity: 'error' as const, code: 'ghdl_error', file: units[0] ?? '', message: 'wrong' };
    throw toolchainError('design_invalid', { diagnostics: [error] });
  }).catch((error: unknown) => error);
  expect(tried).toEqual([5, 4, 3]);
  // The whole project is refused as it was at first.
  expect(refusal).toMatchObject({ code: 'design_invalid', diagnostics: [{ file: 'a.vhd' }] });
});
