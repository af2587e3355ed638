import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { loadChipTable } from '../../server/boards/virtual/chip/chip-table.ts';
import { CommandReader } from '../../server/boards/virtual/configuration/command-reader.ts';
import { createFabric } from '../../server/boards/virtual/create-fabric.ts';
import { extractNetlist } from '../../server/boards/virtual/netlist/extract.ts';
import { Machine } from '../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../server/boards/virtual/runtime/machine-plan.ts';
import { Recorder } from '../../server/boards/virtual/runtime/recorder.ts';
import { UartPeer } from '../../server/boards/virtual/runtime/uart-peer.ts';
import { createVirtualBoard } from '../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../server/clock.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { landmarks } from '../support/boards/virtual/bitstreams.ts';
import {
  BRIDGE_BAUD,
  buildForBoard,
  bytesOf,
  designSource,
  readFrame,
  UART_FABRIC,
  writeFrame,
} from '../support/boards/virtual/bridge.ts';
import { BUSY_DESIGNS, type BusyDesign, busyModule, busySource } from '../support/boards/virtual/busy.ts';
import { softCpuSource } from '../support/boards/virtual/soft-cpu.ts';
import { closeTools } from '../support/boards/virtual/tools.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';
import { measureInUse } from './in-use.ts';
import { measureNeighbour } from './neighbour.ts';
import { simulatedSpeeds } from './simulators.ts';

/** Words that are written and read back over the UART in one round; the most that a frame holds. */
const WORDS = 255;
const ROUND_BYTES = 6 + 4 * WORDS + 6;

/**
 * The virtual fabric with the bitstream of a UART bridge with echo memory (tests/boards/virtual/designs). Measures
 * board clocks a second against Icarus Verilog on the same source and bytes, also of busy designs; time from the last
 * byte of a bitstream until the design runs; the cost of ten boards at rest; a board that is accessed now and then; and
 * the wait for another board that becomes busy.
 */
export async function measureFabric(): Promise<Figure[]> {
  const bitstream = await buildForBoard(designSource('uart-bridge.v'), 'bridge');
  const softCpu = await buildForBoard(softCpuSource(), 'board');
  const withBarrel = await buildForBoard(softCpuSource(true), 'board');
  const busy: { name: BusyDesign; bitstream: Uint8Array }[] = [];
  for (const name of BUSY_DESIGNS)
    busy.push({ name, bitstream: await buildForBoard(busySource(name), busyModule(name)) });
  await closeTools();
  const speed = measureSpeed(bitstream);
  const fast = (name: string, runs: readonly number[], least: number) =>
    atLeast(name, median(runs), 'Mcycle/s', least, { runs });
  const figures = [
    fast('UART bridge + echo', speed, 12),
    fast('the same, recording 64 registers', measureSpeed(bitstream, 64), 5),
    inMegacycles('soft CPU, in events', measureBusy(softCpu, 'events')),
    fast('soft CPU', measureBusy(softCpu), 4),
    fast('soft CPU with a barrel shifter', measureBusy(withBarrel), 4),
  ];
  for (const { name, bitstream: design } of busy) figures.push(...measureBusyDesign(name, design));
  const icarus = measureIcarus();
  if (icarus !== null) {
    figures.push(inMegacycles('UART bridge + echo in Icarus Verilog', icarus));
    figures.push(atLeast('faster than Icarus Verilog', median(speed) / median(icarus), '×', 25));
  }
  figures.push(...(await measureReady(bitstream)), await measureIdle());
  figures.push(await measureInUse(softCpu), await measureNeighbour(bitstream, softCpu));
  return figures;
}

const inMegacycles = (name: string, runs: readonly number[]): Figure =>
  reported(name, median(runs), 'Mcycle/s', { runs });

/** For these the target is twice the event-driven engine, unless it is real time. */
const TWICE: ReadonlySet<BusyDesign> = new Set(['lfsr', 'crc', 'fir', 'serial-cpu']);

function machineOf(bitstream: Uint8Array): { machine: Machine; places: string[] } {
  const reader = new CommandReader();
  reader.push(bitstream);
  const { package: packageName, clock, rx, tx } = UART_FABRIC;
  const pins = { package: packageName, clock: clock.pin, inputs: [rx], outputs: [tx] };
  const table = loadChipTable(resourcePath('fabric', 'ice40-8k.table.br'));
  const netlist = extractNetlist(table, reader.memory, pins);
  return { machine: new Machine(compile(netlist)), places: netlist.flipFlops.map(({ name }) => name) };
}

/**
 * Million board clocks a second, three times, while words are written and read back without a pause; checked word by word.
 * @param recorded registers that are recorded meanwhile, waiting for a trigger that does not come
 */
function measureSpeed(bitstream: Uint8Array, recorded = 0): number[] {
  const { machine, places } = machineOf(bitstream);
  const never = { now: [0, 1].map((value) => ({ bit: 0, value: value as 0 | 1 })), before: [] };
  const recorder =
    recorded === 0
      ? null
      : new Recorder(machine, {
          places: places.slice(0, recorded),
          kept: recorded,
          depth: 65_536,
          position: 32_768,
          every: 1,
          trigger: never,
          pause: false,
        });
  const uart = new UartPeer(
    {
      setRx: (level) => machine.setInput(0, level),
      tx: () => machine.output(0),
      run: (cycles) => (recorder ? recorder.run(uart.now, cycles) : machine.run(cycles)),
      laborious: () => machine.laborious,
    },
    UART_FABRIC.clock.hz,
    BRIDGE_BAUD,
  );
  const clocksPerByte = (10 * UART_FABRIC.clock.hz) / BRIDGE_BAUD;
  uart.advance(1000);
  let factor = 0x9e37_79b1;
  const round = () => {
    factor = (Math.imul(factor, 0x85eb_ca6b) | 1) >>> 0;
    const words = Uint32Array.from({ length: WORDS }, (_, k) => Math.imul(k + 1, factor));
    uart.send(writeFrame(0, words));
    uart.send(readFrame(0, WORDS));
    uart.advance(ROUND_BYTES * clocksPerByte);
    const answer: Uint8Array[] = [];
    for (let length = 0; length < 4 * WORDS; length += answer.at(-1)?.length ?? 0) {
      uart.advance(10 * clocksPerByte);
      answer.push(uart.take());
      if (answer.length > 4 * WORDS) throw new Error('the bridge fell silent');
    }
    if (!Buffer.concat(answer).equals(bytesOf(words))) throw new Error('the bridge answered something else');
  };
  const rate = (milliseconds: number) => {
    const from = uart.now;
    const start = performance.now();
    while (performance.now() - start < milliseconds) round();
    return (uart.now - from) / (performance.now() - start) / 1000;
  };
  rate(1000); // until V8's optimising compiler has taken over
  return [rate(1000), rate(1000), rate(1000)];
}

/**
 * Million board clocks a second of processor time, three times, while a design goes on by itself.
 * @param evaluation one of the two ways, or whichever the machine chooses
 */
function measureBusy(bitstream: Uint8Array, evaluation?: 'events'): number[] {
  const { machine } = machineOf(bitstream);
  if (evaluation) machine.evaluateIn(evaluation);
  const run = (cycles: number) => {
    for (let done = 0; done < cycles; ) done += machine.run(Math.min(1000, cycles - done));
  };
  run(4_000_000); // until it is decided how it is evaluated, and V8's optimising compiler has taken over
  return [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    run(1_000_000);
    return 1_000_000 / process.cpuUsage(before).user;
  });
}

/** A busy design against itself in events, and against simulators of its source where they are installed. */
function measureBusyDesign(name: BusyDesign, bitstream: Uint8Array): Figure[] {
  const runs = measureBusy(bitstream);
  const [speed, inEvents] = [median(runs), median(measureBusy(bitstream, 'events'))];
  const peers = simulatedSpeeds(busySource(name), busyModule(name));
  return [
    inMegacycles(name, runs),
    // A board of 12 MHz that keeps up with the clock on the wall has no use for more.
    speed >= 12 || !TWICE.has(name)
      ? reported(`${name}, of what it does in events`, speed / inEvents, '×')
      : atLeast(`${name}, of what it does in events`, speed / inEvents, '×', 2),
    ...peers.map(({ simulator, speeds }) => inMegacycles(`${name} in ${simulator}`, speeds)),
  ];
}

/** The same rounds in Icarus Verilog, on the source of the design, three times; null where it is not installed. */
function measureIcarus(): number[] | null {
  if (spawnSync('iverilog', ['-V']).status !== 0) return null;
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-bench-'));
  const at = (name: string) => path.join(folder, name);
  try {
    writeFileSync(at('bridge.v'), designSource('uart-bridge.v'));
    writeFileSync(at('bench.v'), ICARUS_BENCH);
    execFileSync('iverilog', ['-g2012', '-o', at('sim'), at('bench.v'), at('bridge.v')]);
    return [0, 1, 2].map(() => {
      const start = performance.now();
      const said = execFileSync('vvp', ['-n', at('sim')]).toString();
      const cycles = Number(/cycles (\d+) errors 0/.exec(said)?.[1] ?? Number.NaN);
      return cycles / (performance.now() - start) / 1000;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ICARUS_BENCH = `\`timescale 1ns/1ns
module bench;
  reg clk = 0, rx = 1; wire tx; bridge dut(clk, rx, tx);
  integer cycles = 0, errors = 0, i, k;
  always begin #1 clk = 1; cycles = cycles + 1; #1 clk = 0; end
  task send(input [7:0] b); integer n; begin
    rx = 0; repeat (12) @(negedge clk);
    for (n = 0; n < 8; n = n + 1) begin rx = b[n]; repeat (12) @(negedge clk); end
    rx = 1; repeat (12) @(negedge clk);
  end endtask
  reg [7:0] got; integer m;
  task receive; begin
    @(negedge tx); repeat (6) @(negedge clk);
    for (m = 0; m < 8; m = m + 1) begin repeat (12) @(negedge clk); got[m] = tx; end
    repeat (12) @(negedge clk);
  end endtask
  initial begin
    repeat (100) @(negedge clk);
    send(1); send(${WORDS}); send(0); send(0); send(0); send(0);
    for (i = 0; i < ${4 * WORDS}; i = i + 1) send(i * 7);
    fork
      begin send(2); send(${WORDS}); send(0); send(0); send(0); send(0); end
      for (k = 0; k < ${4 * WORDS}; k = k + 1) begin receive; if (got !== ((k * 7) & 255)) errors = errors + 1; end
    join
    $display("cycles %0d errors %0d", cycles, errors);
    $finish;
  end
endmodule
`;

/** From the last byte of a bitstream to CDONE, milliseconds: in a new thread, and in one that has done it before. */
async function measureReady(bitstream: Uint8Array): Promise<Figure[]> {
  const fabric = createFabric(UART_FABRIC);
  const times: number[] = [];
  // The wake-up command is what makes it run; some bytes of padding follow.
  const wakeUp = landmarks(bitstream).wakeUp + 1;
  for (let time = 0; time < 8; time++) {
    await fabric.reset();
    await fabric.configure(bitstream.slice(0, wakeUp));
    const start = performance.now();
    await fabric.configure(bitstream.slice(wakeUp));
    if (!(await fabric.cdone())) throw new Error('CDONE stayed low');
    times.push(performance.now() - start);
  }
  await fabric.close();
  return [
    atMost('ready after the last bitstream byte, first board', times[0] ?? Number.NaN, 'ms', 300),
    reported('the same, next boards', median(times.slice(1)), 'ms', { runs: times.slice(1) }),
  ];
}

/** Processor time of this process while ten boards with the base SoC on them wait for something to do. */
async function measureIdle(): Promise<Figure> {
  const definition = loadCatalogue().get(VIRTUAL_BOARD);
  if (!definition) throw new Error(`no ${VIRTUAL_BOARD}`);
  const bitstream = Uint8Array.from(readFileSync(resourcePath('base', `${VIRTUAL_BOARD}.bin`)));
  const boards = Array.from({ length: 10 }, (_, slot) =>
    createVirtualBoard(slot, definition, { logger: silentLogger, clock: systemClock }),
  );
  const links = [];
  for (const board of boards) {
    await board.program(bitstream, { log: () => {}, progress: () => {} });
    links.push(await board.openLink());
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const before = process.cpuUsage();
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 10 / (performance.now() - start);
  for (const link of links) await link.close();
  for (const board of boards) await board.close();
  return atMost('ten configured boards at rest', share, '% of a core', 2);
}
