import { beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../server/boards/catalogue/index.ts';
import { userClock } from '../../../server/boards/definition.ts';
import { baseAhead } from '../../../server/toolchain/build/ahead/base-gates.ts';
import { aheadName } from '../../../server/toolchain/build/ahead/rtlil-modules.ts';
import { gatewareSources } from '../../../server/toolchain/build/gateware.ts';
import { embeddedVersion } from '../../../server/toolchain/engines/embedded/tool-packages.ts';
import { yosysLibrary } from '../../../server/toolchain/engines/embedded/yosys-library.ts';
import { BASE_GATES } from '../../../server/toolchain/families/family.ts';
import { familyOf } from '../../../server/toolchain/families/index.ts';
import { TEMPER } from '../../support/gateware/bench-slave.ts';
import {
  BUILD_ID,
  bytes,
  haveIcarus,
  type Speed,
  type Stimulus,
  settled,
  simulate,
} from '../../support/gateware/simulate.ts';
import { plainYosys } from '../../support/toolchain/support.ts';

const board = loadCatalogue().get(VIRTUAL_BOARD)!;
const speed: Speed = {
  clockHz: userClock(board).hz,
  baud: board.serial.baud,
  leds: board.leds.pins.length,
  name: board.name,
};

const MODULES = ['wishbench_bridge', 'wishbench_fifo', 'wishbench_uart_rx'];

interface Port {
  name: string;
  direction: string;
  width: number;
}

/** The files of resources/base that a build with the embedded tools uses for the board. */
async function kept() {
  const inputs = {
    board,
    family: familyOf(board),
    engine: { name: 'embedded' as const },
    versions: { yosys: embeddedVersion('yosys') },
  };
  const ahead = await baseAhead(inputs, BUILD_ID, await gatewareSources());
  if (!ahead) throw new Error(`No gates of today's sources: npm run generate -- base`);
  const files = Object.entries(ahead.files).map(([name, text]) => [name, String(text)] as const);
  return {
    gates: files.find(([name]) => name === BASE_GATES)?.[1] ?? '',
    boxes: files.find(([name]) => name.endsWith('boxes.il'))?.[1] ?? '',
  };
}

/** The models of the part's cells that come with the tools. */
const cells = yosysLibrary('ice40/cells_sim.v');

/** The gates as Verilog that a simulator takes: modules `<name>_gates`. */
async function gatesAsVerilog(gates: string): Promise<string> {
  const script = [
    'read_rtlil gates.il',
    'ice40_wrapcarry -unwrap',
    ...MODULES.map((name) => `rename ${aheadName(name)} ${name}_gates`),
    'write_verilog -noattr gates.v',
  ];
  const { files } = await plainYosys.run({
    tool: 'yosys',
    args: ['-q', '-p', script.join('; ')],
    files: { 'gates.il': gates },
    outputs: ['gates.v'],
    deadline: 120,
    onLine() {},
  });
  return `\`define ICE40_HX\n\`define NO_ICE40_DEFAULT_ASSIGNMENTS\n${cells}\n${Buffer.from(files['gates.v'] ?? []).toString()}`;
}

const range = ({ width }: Port) => `[${width - 1}:0]`;

/** Replaces `be_silent` of bench.v: the gates have no counter that it could advance. */
const NOT_PUT_AHEAD = ['  reg [16:0] clocks = 0;', '  wire rx_full = 1, waiting = 0;'];

/**
 * A module with the source's ports that runs the gates in parallel and reports every clock in which their outputs
 * differ.
 */
function lockstep(name: string, boxes: string): string {
  const [, parameters = ''] = new RegExp(`^# ${name} (.+)$`, 'm').exec(boxes) ?? [];
  const [, body = ''] =
    boxes.split(`module ${aheadName(name)}\n`).map((text) => text.split('\nend\n')[0]) ?? [];
  const ports = [...body.matchAll(/wire (?:width (\d+) )?(input|output) \d+ \\(\w+)/g)].map(
    ([, width = '1', direction = '', port = '']): Port => ({ name: port, direction, width: Number(width) }),
  );
  const outputs = ports.filter(({ direction }) => direction === 'output');
  const set = parameters.split(' ').map((one) => `.${one}(${one})`);
  return [
    `module ${name} (${ports.map((port) => `${port.direction} wire ${range(port)} ${port.name}`).join(', ')});`,
    ...parameters.split(' ').map((one) => `  parameter ${one} = 0;`),
    ...outputs.map((port) => `  wire ${range(port)} gates_${port.name};`),
    `  ${name}_source #(${set.join(', ')}) source (${ports.map((port) => `.${port.name}(${port.name})`).join(', ')});`,
    `  ${name}_gates gates (${ports
      .map((port) => `.${port.name}(${port.direction === 'output' ? 'gates_' : ''}${port.name})`)
      .join(', ')});`,
    ...(name === 'wishbench_bridge' ? NOT_PUT_AHEAD : []),
    // Not at time 0, when nothing has a value yet.
    '  always @(negedge clk) if ($time > 0) begin',
    ...outputs.map(
      (port) =>
        `    if (^${port.name} !== 1'bx && ${port.name} !== gates_${port.name}) $display("V ${name}.${port.name}");`,
    ),
    '  end',
    'endmodule',
  ].join('\n');
}

const word = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const frame = (command: number, length: number, byteAddress: number, ...data: number[]) =>
  bytes(command, length, ...word(byteAddress >>> 2), ...data.flatMap(word));
const STATUS = frame(2, 3, 0xf000_0034);

/** Every command, every temper of the slave, the whole block and identifier, faults, damage and another rate. */
const conversation = (): Stimulus[] => [
  ...frame(2, 16, 0xf000_0000),
  ...frame(2, 30, 0xf800_0000),
  ...Object.values(TEMPER)
    .filter((base) => base !== TEMPER.mute)
    .flatMap((base) => [
      ...frame(1, 3, base + 16, 0x1122_3344, 0xdead_beef, 0x8000_0001),
      ...frame(2, 3, base + 16),
      ...frame(0xa1, 1, base + 20, 0x5566_7788),
      ...frame(3, 2, base + 20, 5, 6),
      ...frame(4, 3, base + 20),
      ...STATUS,
      ...frame(1, 1, 0xf000_0030, 1),
    ]),
  ...frame(1, 1, 0xf000_0030, 2),
  ...frame(1, 1, 0xf000_0030, 0),
  ...frame(2, 4, 0xff00_0000),
  settled,
  ...frame(1, 1, 0xf000_0020, 9),
  ['host', 10],
  ...frame(2, 2, 0x10),
  ...STATUS,
  settled,
  ['broken', 0x55],
  ...bytes(1, 2, 3),
  settled,
];

describe.skipIf(!haveIcarus)('the presynthesised base SoC', () => {
  let sources: Record<string, string> = {};
  let found: Awaited<ReturnType<typeof kept>> = { gates: '', boxes: '' };

  beforeAll(async () => {
    [sources, found] = await Promise.all([gatewareSources(), kept()]);
  });

  /** The base SoC with the gates next to the sources. */
  async function beside(gates: string): Promise<Record<string, string>> {
    const verilog = await gatesAsVerilog(gates);
    const replaced = MODULES.map((name): [string, string] => {
      const file = `${name}.v`;
      const source = (sources[file] ?? '').replace(`module ${name} `, `module ${name}_source `);
      return [file, `${source}\n${lockstep(name, found.boxes)}\n`];
    });
    return { ...Object.fromEntries(replaced), 'gates.v': verilog };
  }

  test('matches its sources in every clock', async () => {
    const { violations, sent, bus } = await simulate(conversation(), speed, await beside(found.gates));
    expect(violations).toEqual([]);
    // It was a conversation, and the same one as without them.
    const alone = await simulate(conversation(), speed);
    expect(bus.length).toBeGreaterThan(60);
    expect(sent).toEqual(alone.sent);
    expect(bus).toEqual(alone.bus);
  });

  test('the comparison detects a changed gate', async () => {
    const at = found.gates.indexOf('cell $_XOR_ ', found.gates.indexOf('wishbench_bridge'));
    const other = `${found.gates.slice(0, at)}cell $_AND_ ${found.gates.slice(at + 'cell $_XOR_ '.length)}`;
    const { violations } = await simulate([...STATUS, settled], speed, await beside(other));
    expect(violations.length).toBeGreaterThan(0);
  });
});
