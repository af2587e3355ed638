import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { BoardPool } from '../../../../server/boards/board.ts';
import { createBoardPool } from '../../../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { deviceFacts } from '../../../../server/boards/discovery/attached.ts';
import { programIce40 } from '../../../../server/boards/programmers/ice40-mpsse.ts';
import { systemClock } from '../../../../server/clock.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { EventHub } from '../../../../server/events/events.ts';
import type { NodePool } from '../../../../server/jobs/node-pool.ts';
import { createNodePool } from '../../../../server/jobs/node-pool.ts';
import { silentLogger } from '../../../../server/log.ts';
import { openStore } from '../../../../server/store/index.ts';
import { briskClock } from '../../../support/boards/brisk-clock.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import type { Ft2232h } from '../../../support/boards/emulator/ft2232h.ts';
import {
  closeLabs,
  eventually,
  hx8kBitstream,
  lab,
  modelBoard,
  plugAgain,
  quietContext,
} from '../../../support/boards/lab.ts';
import { memoryAssignments } from '../../../support/boards/memory-assignments.ts';
import { FakeBoard } from '../../../support/fake-board.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';
import { SOAK } from '../../../support/soak.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { alice, design, ended, read, SETTINGS, write } from '../../../support/test-pool.ts';

afterEach(closeLabs);

/** A generator of numbers below 1 that a seed repeats (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test.each(['sram', 'flash'] as const)('%s: the plug pulled at every stage of programming', async (mode) => {
  // A small stream is enough for the stages: the model takes it for a bitstream.
  const data = Uint8Array.from({ length: 700 }, (_, at) => (at * 13 + 1) & 0xff);
  const bytesOfRun = async (afterBytes: number | null) => {
    const { fabric, chip } = modelBoard({ jumpers: mode });
    fabric.accepts = (bytes) => bytes.length >= data.length;
    const computer = new EmulatedComputer();
    computer.plug('1-2', chip);
    const start = 1 << 30;
    chip.fault = { kind: 'unplug', afterBytes: afterBytes ?? start };
    const [device] = await computer.bus.getDevices();
    const system = { bus: computer.bus, clock: briskClock };
    const outcome = await programIce40(deviceFacts(device!), data, mode, quietContext, system).then(
      () => 'programmed',
      (error) => error.code,
    );
    expect(computer.openHandles).toBe(0);
    return { outcome, bytes: start - (chip.fault?.afterBytes ?? 0) };
  };
  const whole = await bytesOfRun(null);
  expect(whole.outcome).toBe('programmed');
  // At each of the first requests, then at regular byte intervals, and at the very last ones.
  const last = Array.from({ length: 40 }, (_, back) => whole.bytes - back);
  const spread = Array.from({ length: 120 }, (_, at) => Math.floor((at * whole.bytes) / 120) + 1);
  const outcomes = new Set<string>();
  for (const afterBytes of [1, 8, 9, 16, 24, 32, 40, 48, 50, ...spread, ...last]) {
    const { outcome } = await bytesOfRun(afterBytes);
    outcomes.add(outcome);
    // The restore of the chip comes last: a plug pulled then does not affect the configuration.
    if (afterBytes < whole.bytes - 60) expect(outcome).toBe('board_vanished');
  }
  for (const outcome of outcomes) expect(['board_vanished', 'programmed']).toContain(outcome);
});

test('the plug pulled at every stage of opening a link and of a transfer', async () => {
  const assignments = { 0: { board: 'usb:LAT001', definition: 'ice40-hx8k-breakout' } };
  const made = await lab({ assignments, clock: briskClock });
  const { computer, pool } = made;
  let { chip } = modelBoard({ serial: 'LAT001' });
  const plug = async () => {
    computer.plug('1-2', chip);
    await eventually(() => pool.board(0).view.present, 'the board is there');
  };
  await plug();
  const board = pool.board(0);
  for (let afterBytes = 1; afterBytes < 3_000; afterBytes += 1 + Math.floor(afterBytes / 2)) {
    await board.program(hx8kBitstream(), quietContext);
    chip.fault = { kind: 'unplug', afterBytes };
    const outcome = await (async () => {
      const link = await board.openLink();
      try {
        return await link.read(0, 2_000);
      } finally {
        await link.close();
      }
    })().catch((error) => error.code);
    expect(outcome).toBe('board_vanished');
    await eventually(() => !board.view.present, 'the board is away');
    expect(computer.openHandles).toBe(0);
    chip = plugAgain(chip);
    await plug();
  }
});

/** Boards in sockets, two with a serial number, two identified by their socket. */
const SOCKETS = ['1-1', '1-2', '1-3.1', '1-3.2'];
const NAMES = ['usb:S0', 'usb:S1', 'port:1-3.1', 'port:1-3.2'];
/** More in `npm run soak`. */
const EVENTS = SOAK ? 5_000 : 160;

/** A bench with four emulated boards in slots 0 to 3, on the real store and the real job runner. */
async function loadedBench() {
  const computer = new EmulatedComputer();
  const assignments = NAMES.map((board, slot) => [slot, { board, definition: 'ice40-hx8k-breakout' }]);
  const boards = await createBoardPool({
    catalogue: loadCatalogue(),
    assignments: memoryAssignments(Object.fromEntries(assignments)),
    logger: silentLogger,
    clock: briskClock,
    system: { bus: computer.bus, ports: computer.serialPorts },
    virtualBoard: (slot) => new FakeBoard(slot),
  });
  const store = await openStore(temporaryFolder('faults'), {
    logger: silentLogger,
  });
  const nodes = await createNodePool({
    store,
    boards,
    toolchain: new FakeToolchain({ slots: 4 }),
    events: new EventHub((error) => {
      throw error;
    }),
    clock: systemClock,
    newId: randomUUID,
    settings: SETTINGS,
    logger: silentLogger,
  });
  const chips: Ft2232h[] = NAMES.map((name, slot) => {
    const { chip, fabric } = modelBoard({ serial: name.startsWith('usb:') ? `S${slot}` : null });
    fabric.accepts = (bytes) => {
      const text = Buffer.from(bytes.subarray(0, 68)).toString('latin1');
      if (!text.startsWith('FAKE')) return false;
      fabric.buildId = text.slice(-16);
      return bytes.length >= 2_048;
    };
    return chip;
  });
  const close = async () => {
    await nodes.close();
    await boards.close();
    await store.close();
  };
  return { computer, boards, nodes, chips, close };
}

/** A user who does anything that the node's state allows, until the end. */
async function use(nodes: NodePool, slot: number, next: () => number, going: () => boolean): Promise<number> {
  let jobs = 0;
  while (going()) {
    const { state } = nodes.node(slot);
    try {
      const job =
        state === 'idle'
          ? await nodes.submit(slot, design(`design ${Math.floor(next() * 4)}`), alice)
          : state === 'error'
            ? await nodes.reset(slot, alice)
            : next() < 0.05
              ? await nodes.release(slot, alice)
              : next() < 0.5
                ? await nodes.run(slot, write(0x100, 1, 2, 3), alice)
                : await nodes.run(slot, read(0x100, 1 + Math.floor(next() * 600)), alice);
      jobs += 1;
      await ended(nodes, job);
    } catch (error) {
      // The state has changed since the check: refused with a code, as it should be.
      if (!(error instanceof BenchError) || error.status >= 500) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return jobs;
}

async function bringBack(computer: EmulatedComputer, boards: BoardPool, chips: Ft2232h[]) {
  for (const [slot, chip] of chips.entries()) {
    if (!chip.gone) continue;
    chips[slot] = plugAgain(chip);
    computer.plug(SOCKETS[slot]!, chips[slot]!);
  }
  for (const slot of chips.keys())
    await eventually(() => boards.board(slot).view.present, `board ${slot} is back`);
}

/** The log of a failed job; null for a complete one. */
async function whyNot(nodes: NodePool, { fpga_id, job_id, status }: Job): Promise<string | null> {
  return status === 'complete' ? null : (await nodes.readLog(fpga_id, job_id)).toString();
}

test(`${EVENTS} random plug and unplug events under load`, async () => {
  const next = random(20_240_607);
  const { computer, boards, nodes, chips, close } = await loadedBench();
  for (const [slot, chip] of chips.entries()) computer.plug(SOCKETS[slot]!, chip);
  let going = true;
  const users = NAMES.map((_, slot) => use(nodes, slot, random(slot), () => going));
  const settled = Promise.all(users).then(
    (jobs) => ({ kind: 'ended' as const, jobs }),
    (error: unknown) => ({ kind: 'failed' as const, error }),
  );
  /** Jobs interrupted by a pulled plug, and completed runs. */
  const outcomes = () => {
    const all = NAMES.flatMap((_, slot) => nodes.jobs({ fpgaId: slot }));
    return {
      broken: all.filter(({ failure }) => failure?.error === 'board_vanished').length,
      done: all.filter(({ status, type }) => status === 'complete' && type === 'run').length,
    };
  };
  const enough = () => Object.values(outcomes()).every((count) => count > 10);
  for (let event = 0; event < EVENTS || !enough(); event++) {
    const slot = Math.floor(next() * chips.length);
    const chip = chips[slot]!;
    if (chip.gone) {
      chips[slot] = plugAgain(chip);
      computer.plug(SOCKETS[slot]!, chips[slot]!);
    } else if (next() < 0.6) {
      chip.fault = { kind: 'unplug', afterBytes: 1 + Math.floor(next() * 6_000) };
    } else {
      computer.unplug(SOCKETS[slot]!);
    }
    await new Promise((resolve) => setTimeout(resolve, next() < 0.2 ? 60 : next() * 6));
  }
  for (const chip of chips) chip.fault = null;
  await bringBack(computer, boards, chips);
  going = false;
  const counts = await settled;
  if (counts.kind === 'failed') throw counts.error;
  expect(counts.jobs.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20);

  // Every job has ended, every node can be brought to idle, and does its work again.
  for (const slot of chips.keys()) {
    for (const job of nodes.jobs({ fpgaId: slot }))
      expect(['complete', 'failed', 'cancelled']).toContain(job.status);
    if (nodes.node(slot).state !== 'idle')
      expect(await whyNot(nodes, await ended(nodes, await nodes.reset(slot, alice)))).toBeNull();
    expect(nodes.node(slot).state).toBe('idle');
    expect(
      await whyNot(nodes, await ended(nodes, await nodes.submit(slot, design('last'), alice))),
    ).toBeNull();
    expect(
      await whyNot(nodes, await ended(nodes, await nodes.run(slot, read(0x100, 300), alice))),
    ).toBeNull();
    expect(await whyNot(nodes, await ended(nodes, await nodes.release(slot, alice)))).toBeNull();
  }
  await close();
  expect(computer.openHandles).toBe(0);
  expect(computer.watchers).toBe(0);
}, 600_000);
