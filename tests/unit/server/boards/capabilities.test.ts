import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import {
  type BoardDefinition,
  type ProgrammingMode,
  userClock,
} from '../../../../server/boards/definition.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { briskClock } from '../../../support/boards/brisk-clock.ts';
import {
  closeLabs,
  eventually,
  lab,
  modelBoard,
  plugAgain,
  quietContext,
} from '../../../support/boards/lab.ts';
import { proves } from '../../../support/proves.ts';

afterEach(closeLabs);

const catalogue = loadCatalogue();
const ice40 = catalogue.boards.filter(({ programmer }) => programmer.kind === 'ice40-mpsse');

/** A board as it would be plugged in: with the USB strings of its board file, and the base SoC in its FPGA. */
function boardOf(definition: BoardDefinition, mode: ProgrammingMode) {
  const { usb, serial, programmer } = definition;
  if (!usb || programmer.kind === 'virtual') throw new RangeError('Not a board on the USB.');
  const product = usb.product?.replace(/^\^\(?|\)?\$$|\|.*$/g, '').replaceAll('\\', '');
  const made = modelBoard({
    serial: 'CAP001',
    vendorId: usb.vendorId,
    productId: usb.productId,
    jumpers: mode,
    ...(usb.deviceRelease !== undefined && { release: usb.deviceRelease }),
    ...(product !== undefined && { product }),
  });
  made.fabric.clockHz = userClock(definition).hz;
  made.fabric.lineBaud = serial.baud;
  return made;
}

/** The board in slot 0 of an emulated computer. */
async function plugged(definition: BoardDefinition, mode: ProgrammingMode) {
  const assignments = { 0: { board: 'usb:CAP001', definition: definition.id, mode } };
  const made = await lab({ assignments, clock: briskClock });
  const hardware = boardOf(definition, mode);
  made.computer.plug('1-2', hardware.chip);
  await eventually(() => made.pool.board(0).view.present, 'the board is present');
  return { ...made, ...hardware, slot: made.pool.board(0) };
}

const base = (id: string) => new Uint8Array(readFileSync(resourcePath('base', `${id}.bin`)));

describe.each(ice40.map((definition) => [definition.id, definition] as const))(
  '%s, emulated',
  (id, definition) => {
    const modes = definition.programmer.kind === 'ice40-mpsse' ? definition.programmer.modes : [];

    test('it is discovered by its USB identity', async () => {
      const { computer, pool } = await lab();
      computer.plug('1-4', boardOf(definition, modes[0]!).chip);
      await eventually(() => pool.list().some(({ candidates }) => candidates.includes(id) && candidates), id);
      const found = pool.list().find((board) => board.id === 'usb:CAP001');
      expect(found).toMatchObject({ present: true, slot: null });
      expect(found?.candidates).toContain(id);
      proves(id, 'discover', 'emulated');
    });

    test.each(modes)('its FPGA is configured (%s), the design answers over the link', async (mode) => {
      const { slot, computer } = await plugged(definition, mode);
      await slot.program(base(id), quietContext);
      const link = await slot.openLink();
      expect(await link.identity()).toMatchObject({ clockHz: userClock(definition).hz });
      const words = Uint32Array.from({ length: 500 }, (_, at) => (at * 2_654_435_761) >>> 0);
      expect(await link.write(0x100, words)).toMatchObject({ ok: true });
      expect(await link.read(0x100, 500)).toEqual({ ok: true, data: words });
      await link.close();
      expect(computer.openHandles).toBe(0);
      proves(id, mode === 'sram' ? 'program-sram' : 'program-flash', 'emulated');
      proves(id, 'link', 'emulated');
    });

    test('unplugged during programming and plugged into another port, it works again', async () => {
      const { slot, computer, chip } = await plugged(definition, modes[0]!);
      chip.fault = { kind: 'unplug', afterBytes: 20_000 };
      await expect(slot.program(base(id), quietContext)).rejects.toMatchObject({ code: 'board_vanished' });
      computer.plug('1-3.1', plugAgain(chip));
      await eventually(() => slot.view.present, 'the board is back');
      await slot.program(base(id), quietContext);
      proves(id, 'hotplug', 'emulated');
    });
  },
);
