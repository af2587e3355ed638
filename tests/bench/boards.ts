import { readFileSync } from 'node:fs';
import type { BoardPool } from '../../server/boards/board.ts';
import { createBoardPool } from '../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../server/boards/catalogue/index.ts';
import { SCK_HZ } from '../../server/boards/programmers/mpsse.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import type { WishboneLink } from '../../server/wishbone/link.ts';
import { EmulatedComputer } from '../support/boards/emulator/computer.ts';
import { Ft2232h } from '../support/boards/emulator/ft2232h.ts';
import { Ice40Board } from '../support/boards/emulator/ice40-board.ts';
import { ModelFabric } from '../support/boards/emulator/model-fabric.ts';
import { memoryAssignments } from '../support/boards/memory-assignments.ts';
import { FakeBoard } from '../support/fake-board.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';

const DEFINITION = 'ice40-hx8k-breakout';
const ROUNDS = 3;
/** Words of a burst measurement: 33 bursts. */
const WORDS = 8_192;

const bitstream = new Uint8Array(readFileSync(resourcePath('base', `${DEFINITION}.bin`)));

/** A bench with one emulated board, whose wires take the time that wires take. */
async function plugged() {
  const computer = new EmulatedComputer();
  const fabric = new ModelFabric('modelled');
  // A real FPGA checks the stream as it comes; the model would do it all at the end, and be measured with it.
  fabric.accepts = (bytes) => bytes.length >= bitstream.length;
  const board = new Ice40Board({ fabric, jumpers: 'sram' });
  const chip = new Ft2232h({ board, serial: 'BENCH', wire: 'modelled' });
  const pool = await createBoardPool({
    catalogue: loadCatalogue(),
    assignments: memoryAssignments({ 0: { board: 'usb:BENCH', definition: DEFINITION } }),
    logger: silentLogger,
    system: { bus: computer.bus, ports: computer.serialPorts },
    virtualBoard: (slot) => new FakeBoard(slot),
  });
  computer.plug('1-2', chip);
  await presence(pool, true);
  return { computer, chip, pool };
}

/** Milliseconds until the pool shows the board, or its absence. */
async function presence(pool: BoardPool, there: boolean): Promise<number> {
  const start = performance.now();
  while (pool.board(0).view.present !== there) await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now() - start;
}

/** Milliseconds from the first byte of the bitstream to CDONE, and of programming as a whole. */
async function programmingTimes(pool: BoardPool): Promise<{ data: number; whole: number }> {
  const start = performance.now();
  let first = 0;
  let last = 0;
  await pool.board(0).program(bitstream, {
    progress() {},
    log(line) {
      if (line.startsWith('writing')) first = performance.now();
      if (line.startsWith('CDONE')) last = performance.now();
    },
  });
  return { data: last - first, whole: performance.now() - start };
}

async function measureProgramming(): Promise<Figure[]> {
  const { pool } = await plugged();
  const times = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await programmingTimes(pool));
  await pool.close();
  const wire = (bitstream.length * 8 * 1000) / SCK_HZ;
  const data = median(times.map((time) => time.data));
  return [
    atMost('HX8K SRAM, first byte to CDONE, against the 6 MHz wire time', (data / wire) * 100, '%', 110),
    reported('HX8K SRAM, first byte to CDONE', data, 'ms'),
    reported(
      'HX8K SRAM, from opening the USB device to giving it back, 105 ms of reset included',
      median(times.map((time) => time.whole)),
      'ms',
    ),
  ];
}

/** Seconds that `work` takes, the median of some rounds. */
async function seconds(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    took.push((performance.now() - start) / 1000);
  }
  return median(took);
}

async function measureTransfers(): Promise<Figure[]> {
  const { pool } = await plugged();
  const board = pool.board(0);
  await board.program(bitstream, { log() {}, progress() {} });
  const opening = async () => {
    const start = performance.now();
    const link = await board.openLink();
    return { link, took: performance.now() - start };
  };
  const first = await opening();
  const figures = [reported('Link opened for the first time, its line rate measured', first.took, 'ms')];
  await first.link.close();
  const opened: number[] = [];
  for (let round = 0; round < 5; round++) {
    const { link, took } = await opening();
    opened.push(took);
    await link.close();
  }
  figures.push(atMost('Link opened at the line rate that is known, median of 5', median(opened), 'ms', 60));
  const { link } = await opening();
  try {
    for (const rate of [1_000_000, 2_000_000, 3_000_000]) {
      await link.setLineRate(rate);
      await link.write(0, new Uint32Array(1_024));
      figures.push(...(await bursts(link, rate)), ...(await singles(link, rate)));
    }
    return figures;
  } finally {
    await link.close();
    await pool.close();
  }
}

async function bursts(link: WishboneLink, baud: number): Promise<Figure[]> {
  const rate = `${baud / 1e6} Mbaud`;
  const share = (took: number) => ((WORDS * 4 * 10) / baud / took) * 100;
  const written = await seconds(() => link.write(0, new Uint32Array(WORDS)));
  const read = await seconds(() => link.read(0, WORDS));
  return [
    reported(`Words written in bursts at ${rate}`, WORDS / written, '/s'),
    reported(`Words read in bursts at ${rate}`, WORDS / read, '/s'),
    atLeast(`Write bursts over USB, share of the line rate at ${rate}`, share(written), '%', 90),
    atLeast(`Read bursts over USB, share of the line rate at ${rate}`, share(read), '%', 90),
  ];
}

async function singles(link: WishboneLink, baud: number): Promise<Figure[]> {
  const rate = `${baud / 1e6} Mbaud`;
  const oneByOne = await seconds(async () => {
    for (let at = 0; at < 300; at++) await link.read(4 * at, 1);
  });
  const pipelined = await seconds(() =>
    Promise.all(Array.from({ length: 3_000 }, (_, at) => link.read(4 * at, 1))),
  );
  return [
    atLeast(`Words read one by one over USB at ${rate}, latency timer 1 ms`, 300 / oneByOne, '/s', 400),
    atLeast(`Words read pipelined over USB at ${rate}, latency timer 1 ms`, 3_000 / pipelined, '/s', 3_000),
  ];
}

/** How soon the bench notices a board that comes or goes, with events of the system and with polling. */
async function measureHotplug(hotplugEvents: boolean): Promise<Figure[]> {
  const computer = new EmulatedComputer({ hotplugEvents });
  const pool = await createBoardPool({
    catalogue: loadCatalogue(),
    assignments: memoryAssignments({ 0: { board: 'usb:BENCH', definition: DEFINITION } }),
    logger: silentLogger,
    system: { bus: computer.bus, ports: computer.serialPorts },
    virtualBoard: (slot) => new FakeBoard(slot),
  });
  const arrivals: number[] = [];
  const removals: number[] = [];
  for (let round = 0; round < 7; round++) {
    // At another moment of the polling's period every time.
    await new Promise((resolve) => setTimeout(resolve, 100 * round));
    computer.plug(
      '1-2',
      new Ft2232h({ board: new Ice40Board({ fabric: new ModelFabric() }), serial: 'BENCH' }),
    );
    arrivals.push(await presence(pool, true));
    computer.unplug('1-2');
    removals.push(await presence(pool, false));
  }
  await pool.close();
  const how = hotplugEvents ? 'told by the system' : 'polled';
  return [
    atMost(`Arrival of a board is seen, ${how}, slowest of 7`, Math.max(...arrivals), 'ms', 1_000),
    atMost(`Removal of a board is seen, ${how}, slowest of 7`, Math.max(...removals), 'ms', 1_000),
  ];
}

/**
 * Real boards, measured on the emulated FT2232H: the time of the SPI and UART wires and the latency timer are
 * modelled, and the driver, `serialport` and the link above them are the ones that ship.
 */
export async function measureBoards(): Promise<Figure[]> {
  // The service's own timers do not keep a process alive.
  const alive = setInterval(() => {}, 1_000);
  try {
    return [
      ...(await measureProgramming()),
      ...(await measureTransfers()),
      ...(await measureHotplug(true)),
      ...(await measureHotplug(false)),
    ];
  } finally {
    clearInterval(alive);
  }
}
