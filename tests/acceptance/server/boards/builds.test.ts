import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { constraintsOf, loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { type BoardDefinition, userClock } from '../../../../server/boards/definition.ts';
import { systemClock } from '../../../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../../../server/contract/bench/settings.ts';
import type { ExampleEntry } from '../../../../server/contract/designs/uploads.ts';
import { silentLogger } from '../../../../server/log.ts';
import { resourcePath } from '../../../../server/paths.ts';
import {
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
} from '../../../../server/toolchain/build/gateware.ts';
import { createEmbeddedEngine } from '../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { exampleSource, loadExamples } from '../../../../server/toolchain/examples.ts';
import { ecp5 } from '../../../../server/toolchain/families/ecp5.ts';
import { NETLIST } from '../../../../server/toolchain/families/family.ts';
import { gowin } from '../../../../server/toolchain/families/gowin.ts';
import { createToolchain } from '../../../../server/toolchain/index.ts';
import { isValidBitstream } from '../../../support/boards/emulator/model-fabric.ts';
import { keepBuilt } from '../../../support/built.ts';
import { proves } from '../../../support/proves.ts';
import { SOAK } from '../../../support/soak.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { forkWithStoredRuns } from '../../../support/toolchain/stored-runs.ts';

const { boards } = loadCatalogue();
const real = boards.filter(({ programmer }) => programmer.kind !== 'virtual');
const idOf = (board: BoardDefinition) => board.id;
const echo = new Uint8Array(readFileSync(resourcePath('examples', 'echo.v')));
const examples = loadExamples();

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
/** Which languages can be built from on this machine. */
const installable: Record<ExampleEntry['language'], boolean> = {
  verilog: true,
  systemverilog: true,
  vhdl: runs('ghdl', '--version'),
  amaranth: runs('python3', '-c', 'import amaranth') && runs('bwrap', '--version'),
};

/** `npm run soak` builds every example for every board, and synthesises the base SoC for each of the other families. */
/** Built for every board in every run; `npm run soak` builds every example. */
const ALWAYS_BUILT = ['echo.v'];

/** Port → pin, as a constraints file of any of the three kinds has it. */
function constrainedPins(board: BoardDefinition): Record<string, string> {
  const text = constraintsOf(board);
  const patterns: Record<string, RegExp> = {
    ice40: /^set_io\s+(?:-pullup yes\s+)?(\S+)\s+(\S+)$/gm,
    ecp5: /^LOCATE COMP "(\S+)" SITE "(\S+)";$/gm,
    gowin: /^IO_LOC "(\S+)" (\S+);$/gm,
  };
  const pattern = patterns[board.fpga.family] ?? /$^/g;
  return Object.fromEntries([...text.matchAll(pattern)].map((match) => [match[1], match[2]]));
}

/** The bits of a port as place and route names them: a port of one bit has no index. */
const portBits = <T>(port: string, bits: readonly T[]): [string, T][] =>
  bits.map((bit, at) => [bits.length === 1 ? port : `${port}[${at}]`, bit]);

test('every board’s constraints match its definition', () => {
  for (const board of boards) {
    const leds = portBits('leds', board.leds.pins);
    const high = portBits('high', board.driveHigh ?? []);
    const { clock, serial } = board;
    const wanted = {
      clk: clock.pin,
      rx: serial.rx,
      tx: serial.tx,
      ...Object.fromEntries([...leds, ...high]),
    };
    expect(constrainedPins(board), board.id).toEqual(wanted);
  }
});

test('every board’s line rate is within 1 % of a divisor of its clock', () => {
  for (const board of boards) {
    const { id, serial } = board;
    const { hz } = userClock(board);
    const divisor = Math.round(hz / serial.baud);
    expect(divisor, id).toBeGreaterThanOrEqual(4);
    expect(Math.abs(hz / divisor / serial.baud - 1), id).toBeLessThan(0.01);
  }
});

describe('with the embedded tools', () => {
  const engine = createEmbeddedEngine({
    logger: silentLogger,
    clock: systemClock,
    memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
    forkTools: forkWithStoredRuns,
  });
  afterAll(() => engine.close());

  const ice40 = boards.filter(({ fpga }) => fpga.family === 'ice40');
  const here = examples.filter(({ language }) => installable[language]);
  const built = ice40.flatMap((board) =>
    here
      .filter(({ file }) => SOAK || (board.programmer.kind !== 'virtual' && ALWAYS_BUILT.includes(file)))
      .map((example) => ({ board, id: board.id, file: example.file, example })),
  );
  /** One row for each build that met its clock: speed and size. */
  const rows: string[] = [];
  afterAll(() => {
    if (SOAK) process.stdout.write(`board | example | Fmax | target | logic cells\n${rows.join('\n')}\n`);
  });

  test.each(built)('$file builds for $id and meets its clock', async ({ board, example, file, id }) => {
    const request = { source: exampleSource(example), filename: file, board, options: {} };
    const context = { log() {}, progress() {}, async started() {} };
    // Other tests start from some of these builds: each is made once.
    const dataDir = temporaryFolder('builds');
    await keepBuilt(dataDir, [{ filename: file, source: request.source }], id);
    const toolchain = createToolchain({ dataDir, logger: silentLogger });
    onTestFinished(() => toolchain.close());
    const { bitstream, report } = await toolchain.build(request, context);
    expect(report.cached).toBe(true);
    expect(isValidBitstream(bitstream)).toBe(true);
    expect(report.part).toBe(`${board.fpga.part}-${board.fpga.package}`);
    const { timing, utilisation } = report;
    const clock = userClock(board).hz / 1e6;
    expect(timing).toMatchObject({ met: true, target_mhz: clock, clock_mhz: clock });
    const cells = utilisation.find(({ resource }) => resource === 'logic cell');
    rows.push(`${id} | ${file} | ${timing.fmax_mhz} | ${clock} | ${cells?.used}/${cells?.available}`);
    proves(id, 'build', 'build');
  });

  test('a port of one bit is constrained by its plain name, as on a board with one LED', async () => {
    const stick = ice40.find(({ id }) => id === 'icestick')!;
    const board = { ...stick, leds: { pins: ['99'], activeLow: false }, driveHigh: ['98'] };
    const constraints = 'set_io clk 21\nset_io rx 9\nset_io tx 8\nset_io leds 99\nset_io high 98\n';
    // The test is about the ports of the base SoC, so only they are placed.
    const top = `${GATEWARE_TOP}.v`;
    const { [top]: source = '' } = await gatewareSources();
    const { files } = await engine.run({
      tool: 'yosys',
      args: [
        '-p',
        `read_verilog ${top}; hierarchy -top ${GATEWARE_TOP}; proc; delete */c:*; write_json netlist.json`,
      ],
      files: { [top]: source, [GATEWARE_PARAMETERS]: gatewareParameters(board, '0') },
      outputs: ['netlist.json'],
      deadline: 300,
      onLine() {},
    });
    const lines: string[] = [];
    await engine.run({
      tool: 'nextpnr-ice40',
      args: ['--hx1k', '--package', 'tq144', '--json', 'netlist.json', '--pcf', 'design.pcf'],
      files: { 'netlist.json': files['netlist.json']!, 'design.pcf': constraints },
      outputs: [],
      deadline: 300,
      onLine: (line) => lines.push(line),
    });
    expect(lines.join('\n')).toMatch(/constrained 'leds'.*\n.*constrained 'high'/);
  });
});

/**
 * The other families: Yosys is real. Place and route and the packer are stand-ins that check their input and pass the
 * netlist on, because neither is installed. The real ones are not tested here.
 */
describe.skipIf(process.platform === 'win32')('the base SoC with a capture core around a design', () => {
  // The four ULX3S differ only in the size of the part, which does not affect synthesis. Every run has one board of
  // each family: the ECP5 board with the largest part, and the Gowin board.
  const always = ['ulx3s-85f', 'tang-nano-9k'];
  const others = real.filter(
    ({ id, fpga }) => fpga.family !== 'ice40' && !/^ulx3s-[124]/.test(id) && (SOAK || always.includes(id)),
  );
  const flows = {
    ecp5: {
      place: 'nextpnr-ecp5',
      pack: 'ecppack',
      files: { constraints: 'design.lpf', placed: 'design.config', bitstream: 'design.bit' },
      options: ({ part, package: body }: BoardDefinition['fpga']) => `--${part} --package ${body}`,
      flipFlop: /^TRELLIS_FF$/,
      blockRam: ecp5.blockRam.cell,
    },
    gowin: {
      place: 'nextpnr-himbaechel',
      pack: 'gowin_pack',
      files: { constraints: 'design.cst', placed: 'placed.json', bitstream: 'design.fs' },
      options: ({ part }: BoardDefinition['fpga']) => `--device ${part} --vopt family=GW1N-9C`,
      flipFlop: /^DFF/,
      blockRam: gowin.blockRam.cell,
    },
  };
  const report =
    '{"utilization":{"TRELLIS_COMB":{"used":9,"available":24288}},"fmax":{"clk":{"achieved":80,"constraint":25}}}';

  /** A program in a folder of its own, which prints a version on request. */
  function standIn(name: string, body: string): string {
    const file = path.join(temporaryFolder('stand-in'), name);
    const version = 'case "$*" in *--version*) echo "stand-in 1.0"; exit 0;; esac';
    writeFileSync(file, `#!/bin/sh\nset -e\n${version}\n${body}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  test.each(others.map(idOf))(
    'builds for %s, and its netlist has exactly the constrained pins',
    async (id) => {
      const board = others.find((one) => one.id === id)!;
      const family = flows[board.fpga.family === 'ecp5' ? 'ecp5' : 'gowin'];
      const { constraints, placed, bitstream } = family.files;
      const toolchain = createToolchain({
        dataDir: temporaryFolder('builds'),
        logger: silentLogger,
        forkTools: forkWithStoredRuns,
        paths: {
          [family.place]: standIn(
            family.place,
            `echo "args: $*"\ngrep -q rx ${constraints}\necho '${report}' > timing.json\ncp ${NETLIST} ${placed}`,
          ),
          [family.pack]: standIn(family.pack, `cp ${placed} ${bitstream}`),
        },
      });
      onTestFinished(() => toolchain.close());
      const lines: string[] = [];
      const context = {
        log: (_: string, line: string) => lines.push(line),
        progress() {},
        async started() {},
      };
      const options = { probes: 'bus.dat_w[30:0], bus.cyc' };
      const result = await toolchain.build({ source: echo, filename: 'echo.v', board, options }, context);

      expect(lines.join('\n')).toContain(`args: ${family.options(board.fpga)}`);
      expect(result.report).toMatchObject({ engine: 'native', timing: { fmax_mhz: 80, met: true } });
      expect(result.report.capture_core).toMatchObject({ bits: 32, depth: 1024 });
      expect(result.report.utilisation.find(({ resource }) => resource === 'LUT')?.used).toBeGreaterThan(100);

      const netlist = JSON.parse(Buffer.from(result.bitstream).toString());
      const top = netlist.modules[GATEWARE_TOP];
      const ports = Object.entries<{ bits: unknown[] }>(top.ports).flatMap(([name, { bits }]) =>
        portBits(name, bits).map(([bit]) => bit),
      );
      expect(ports.sort()).toEqual(Object.keys(constrainedPins(board)).sort());
      const cells = Object.values<{ type: string }>(top.cells).map(({ type }) => type);
      expect(cells.filter((type) => family.flipFlop.test(type)).length).toBeGreaterThan(300);
      // The receive FIFO and the constants, and 32 Kbit of the core.
      const blocks = cells.filter((type) => family.blockRam.test(type));
      expect(blocks.length).toBeGreaterThanOrEqual(2 + Math.ceil((32 * 1024) / 18_432));
    },
  );
});

const installed = (tool: string) => spawnSync(tool, ['--version']).error === undefined;
const NATIVE: Record<string, string> = { ecp5: 'nextpnr-ecp5', gowin: 'nextpnr-himbaechel' };

describe.each(['ecp5', 'gowin'] as const)('with native tools for %s', (family) => {
  const there = installed(NATIVE[family]!);
  const ofFamily = real.filter(({ fpga }) => fpga.family === family);

  test.skipIf(!there).each(ofFamily.map(idOf))('the echo example builds for %s', async (id) => {
    const board = ofFamily.find((one) => one.id === id)!;
    const dataDir = temporaryFolder('builds');
    const toolchain = createToolchain({ dataDir, logger: silentLogger });
    const request = { source: echo, filename: 'echo.v', board, options: {} };
    const { bitstream, report } = await toolchain.build(request, {
      log() {},
      progress() {},
      async started() {},
    });
    expect(bitstream.length).toBeGreaterThan(10_000);
    expect(report.timing.met).toBe(true);
    proves(id, 'build', 'build');
    await toolchain.close();
  });

  test.skipIf(there)('without them a build fails and names the missing tools', async () => {
    const dataDir = temporaryFolder('builds');
    const toolchain = createToolchain({ dataDir, logger: silentLogger });
    const request = { source: echo, filename: 'echo.v', board: ofFamily[0]!, options: {} };
    const build = toolchain.build(request, { log() {}, progress() {}, async started() {} });
    await expect(build).rejects.toMatchObject({
      code: 'tool_missing',
      remedy: expect.stringContaining('nextpnr'),
    });
    await toolchain.close();
  });
});
