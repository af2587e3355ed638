import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { constraintsOf, loadCatalogue } from '../../server/boards/catalogue/index.ts';
import type { BoardDefinition } from '../../server/boards/definition.ts';
import { systemClock } from '../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../server/contract/settings.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { createEmbeddedEngine } from '../../server/toolchain/embedded/embedded-engine.ts';
import { ecp5Flow } from '../../server/toolchain/flows/ecp5.ts';
import { NETLIST } from '../../server/toolchain/flows/flow.ts';
import { gowinFlow } from '../../server/toolchain/flows/gowin.ts';
import {
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
  noDesignSource,
} from '../../server/toolchain/gateware.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { isValidBitstream } from './emulator/model-fabric.ts';
import { temporaryFolder } from './support/temporary.ts';

const { boards } = loadCatalogue();
const real = boards.filter(({ programmer }) => programmer.kind !== 'virtual');
const idOf = (board: BoardDefinition) => board.id;
const echo = new Uint8Array(readFileSync(resourcePath('examples', 'echo.v')));

/** Port → pin, as a constraints file of any of the three kinds says it. */
function constrainedPins(board: BoardDefinition): Record<string, string> {
  const text = constraintsOf(board);
  const pattern = {
    ice40: /^set_io\s+(\S+)\s+(\S+)$/gm,
    ecp5: /^LOCATE COMP "(\S+)" SITE "(\S+)";$/gm,
    gowin: /^IO_LOC "(\S+)" (\S+);$/gm,
  }[board.fpga.family];
  return Object.fromEntries([...text.matchAll(pattern)].map((match) => [match[1], match[2]]));
}

test('the constraints of every board say what its definition says', () => {
  for (const board of boards) {
    const leds = board.leds.pins.map((pin, at) => [`leds[${at}]`, pin]);
    const { clock, serial } = board;
    const wanted = { clk: clock.pin, rx: serial.rx, tx: serial.tx, ...Object.fromEntries(leds) };
    expect(constrainedPins(board), board.id).toEqual(wanted);
  }
});

test('the line rate of every board is within 1 % of what its clock divides to', () => {
  for (const { id, clock, serial } of boards) {
    const divisor = Math.round(clock.hz / serial.baud);
    expect(divisor, id).toBeGreaterThanOrEqual(4);
    expect(Math.abs(clock.hz / divisor / serial.baud - 1), id).toBeLessThan(0.01);
  }
});

describe('with the embedded tools', () => {
  const toolchain = createToolchain({
    dataDir: temporaryFolder('builds'),
    logger: silentLogger,
    engine: 'embedded',
  });
  const engine = createEmbeddedEngine({
    logger: silentLogger,
    clock: systemClock,
    memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
  });
  afterAll(async () => {
    await toolchain.close();
    await engine.close();
  });

  const ice40 = real.filter(({ fpga }) => fpga.family === 'ice40');

  test.each(ice40.map(idOf))(
    'the echo example builds for %s and meets its clock',
    async (id) => {
      const board = ice40.find((one) => one.id === id)!;
      const request = { source: echo, filename: 'echo.v', board, options: {} };
      const { bitstream, report } = await toolchain.build(request, {
        log() {},
        progress() {},
        async started() {},
      });
      expect(isValidBitstream(bitstream)).toBe(true);
      expect(report.part).toBe(`${board.fpga.part}-${board.fpga.package}`);
      expect(report.timing).toMatchObject({ met: true, target_mhz: board.clock.hz / 1e6 });
    },
    120_000,
  );

  // The four ULX3S differ in the size of the part only, which synthesis does not look at.
  const others = real.filter(({ id, fpga }) => fpga.family !== 'ice40' && !/^ulx3s-[124]/.test(id));

  test.each(others.map(idOf))(
    'the base SoC synthesises for %s, and its pins are the constrained ones',
    async (id) => {
      const board = others.find((one) => one.id === id)!;
      const sources = { ...(await gatewareSources()), ...(await noDesignSource()) };
      const flow = board.fpga.family === 'ecp5' ? ecp5Flow : gowinFlow;
      const read = Object.keys(sources).map((file) => `read_verilog ${file}`);
      const script = [...read, ...flow.synthesis(board, GATEWARE_TOP, 'embedded')].join('\n');
      const { files } = await engine.run({
        tool: 'yosys',
        args: ['-s', 'build.ys'],
        files: {
          ...sources,
          ...flow.synthesisFiles('embedded'),
          [GATEWARE_PARAMETERS]: gatewareParameters(board, '0'),
          'build.ys': `${script}\n`,
        },
        outputs: [NETLIST],
        deadline: 120,
        onLine() {},
      });
      const netlist = JSON.parse(Buffer.from(files[NETLIST]!).toString());
      const top = netlist.modules[GATEWARE_TOP];
      const ports = Object.entries<{ bits: unknown[] }>(top.ports).flatMap(([name, { bits }]) =>
        name === 'leds' ? bits.map((_, at) => `leds[${at}]`) : [name],
      );
      expect(ports.sort()).toEqual(Object.keys(constrainedPins(board)).sort());
      const cells = Object.values<{ type: string }>(top.cells).map(({ type }) => type);
      const flipFlop = board.fpga.family === 'ecp5' ? /^TRELLIS_FF$/ : /^DFF/;
      expect(cells.filter((type) => flipFlop.test(type)).length).toBeGreaterThan(100);
    },
    120_000,
  );
});

const installed = (tool: string) => spawnSync(tool, ['--version']).error === undefined;
const NATIVE: Record<string, string> = { ecp5: 'nextpnr-ecp5', gowin: 'nextpnr-himbaechel' };

describe.each(['ecp5', 'gowin'] as const)('with native tools for %s', (family) => {
  const there = installed(NATIVE[family]!);
  const ofFamily = real.filter(({ fpga }) => fpga.family === family);

  test.skipIf(!there).each(ofFamily.map(idOf))(
    'the echo example builds for %s',
    async (id) => {
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
      await toolchain.close();
    },
    300_000,
  );

  test.skipIf(there)(
    'without them a build fails by naming what is missing',
    async () => {
      const dataDir = temporaryFolder('builds');
      const toolchain = createToolchain({ dataDir, logger: silentLogger });
      const request = { source: echo, filename: 'echo.v', board: ofFamily[0]!, options: {} };
      const build = toolchain.build(request, { log() {}, progress() {}, async started() {} });
      await expect(build).rejects.toMatchObject({
        code: 'tool_missing',
        remedy: expect.stringContaining('nextpnr'),
      });
      await toolchain.close();
    },
    120_000,
  );
});
