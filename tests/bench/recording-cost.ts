import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { RunningDesign } from '../../server/boards/virtual/runtime/running-design.ts';
import { UartPeer } from '../../server/boards/virtual/runtime/uart-peer.ts';
import { readFrame } from '../support/boards/virtual/bridge.ts';
import { buildAll, exampleSource, machineOf } from '../support/capture/support.ts';
import { atMost, type Figure, reported } from './figure.ts';

/** Words of a read, the most that a frame holds; reads of a turn; turns of each board. */
const WORDS = 255;
const READS = 20;
const TURNS = 40;
/** Clocks after which a board that has not answered a read never will: five times what the line needs. */
const SILENT = 250_000;
/** Signals that the one board has recorded before. */
const RECORDED = 64;

/** A virtual board's design, as far as this measures it. */
interface Board {
  readonly uart: UartPeer;
  pass(clocks: number): void;
}

/** A board without a recorder. */
function plainBoard(bitstream: Uint8Array, hz: number, baud: number): Board {
  const machine = machineOf(bitstream);
  const uart = new UartPeer(
    {
      setRx: (level) => machine.setInput(0, level),
      tx: () => machine.output(0),
      run: (cycles) => machine.run(cycles),
      laborious: () => machine.laborious,
    },
    hz,
    baud,
  );
  return { uart, pass: (clocks) => uart.advance(clocks) };
}

/** The real board, whose clock moves on request. */
function wholeBoard(bitstream: Uint8Array, hz: number, baud: number): Board & { design: RunningDesign } {
  const design = new RunningDesign(machineOf(bitstream), hz, baud, () => performance.now());
  design.pause(true);
  return { design, uart: design.uart, pass: (clocks) => design.step(clocks) };
}

/** One long read and its answer. */
function read({ uart, pass }: Board): Uint8Array {
  const answer: Uint8Array[] = [];
  const began = uart.now;
  uart.send(readFrame(0, WORDS));
  for (let length = 0; length < 4 * WORDS; length += answer.at(-1)?.length ?? 0) {
    if (uart.now - began > SILENT) throw new Error('The design does not answer.');
    pass(5000);
    answer.push(uart.take());
  }
  return Buffer.concat(answer);
}

/** Processor seconds of a round of reads, each with the right answer. */
function turn(board: Board, expected: Uint8Array): number {
  const before = process.cpuUsage();
  for (let k = 0; k < READS; k++)
    if (!Buffer.from(read(board)).equals(expected)) throw new Error('The design answers something else.');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** The least that each board needs for a turn: what else the machine does only ever adds to it. */
function minSeconds(boards: readonly Board[], expected: Uint8Array): number[] {
  const least = boards.map(() => Number.POSITIVE_INFINITY);
  for (let k = 0; k < TURNS; k++)
    for (let j = 0; j < boards.length; j++) {
      // Another one begins each time.
      const at = (j + k) % boards.length;
      const board = boards[at];
      if (board) least[at] = Math.min(least[at] ?? 0, turn(board, expected));
    }
  return least;
}

/**
 * The cost of an idle recorder for a virtual board: the same reads of the echo memory on a board without a recorder, on
 * a real one, and on one that has recorded signals by their symbols before; in turns, in processor time. A second board
 * without a recorder shows the noise of this machine.
 */
export async function measureRecordingCost(): Promise<Figure[]> {
  const [echo] = await buildAll([exampleSource('echo.v')]);
  const definition = loadCatalogue().get(VIRTUAL_BOARD);
  if (!echo || !definition) throw new Error('There is no echo memory for a virtual board.');
  const { bitstream } = echo.built;
  const { clock, serial } = definition;
  const used = wholeBoard(bitstream, clock.hz, serial.baud);
  const plain = () => plainBoard(bitstream, clock.hz, serial.baud);
  const boards = [plain(), plain(), wholeBoard(bitstream, clock.hz, serial.baud), used];
  for (const { pass } of boards) pass(5000); // until the design is out of its reset
  const places = [...echo.symbols.bus, ...echo.symbols.signals]
    .flatMap((signal) =>
      signal.places.flatMap((place) => (place !== null && place.length > 1 ? [place] : [])),
    )
    .slice(0, RECORDED);
  const kept = places.length;
  used.design.record({ places, kept, depth: 1024, position: 512, every: 1, trigger: null, pause: false });
  const [expected = new Uint8Array()] = boards.map(read);
  used.design.endRecording();
  if ((used.design.takeRecording()?.count ?? 0) === 0) throw new Error('Nothing was recorded.');
  minSeconds(boards, expected); // until V8 has optimised all of it
  const from = used.uart.now;
  const [first = 0, second = 0, whole = 0, afterwards = 0] = minSeconds(boards, expected);
  const clocks = (used.uart.now - from) / TURNS;
  const more = (seconds: number) => 100 * (seconds / first - 1);
  return [
    reported('virtual board without a recorder, reads of the echo memory', clocks / first / 1e6, 'Mcycle/s'),
    reported('another one like it: more time', more(second), '%'),
    atMost('the same with all that records, and nothing recorded: more time', more(whole), '%', 2),
    atMost(`the same after a recording of ${kept} bits: more time`, more(afterwards), '%', 2),
  ];
}
