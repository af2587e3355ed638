import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import { createVirtualBoard } from '../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../server/clock.ts';
import { silentLogger } from '../../../server/log.ts';
import { resourcePath } from '../../../server/paths.ts';
import { GATEWARE_VERSION } from '../../../server/toolchain/build/gateware.ts';

// The fabric refuses PLLs, so a halved clock has to come from registers for an emulated board to run it.
test('the bitstream of a board with a user clock runs at its oscillator’s clock', async () => {
  const definition = loadCatalogue().get('alchitry-cu')!;
  const bitstream = new Uint8Array(readFileSync(resourcePath('base', 'alchitry-cu.bin')));
  const board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  try {
    await board.program(bitstream, { log() {}, progress() {} });
    const link = await board.openLink();
    expect(await link.identity()).toEqual({
      version: GATEWARE_VERSION,
      clockHz: 50_000_000,
      buildId: '0'.repeat(16),
    });
    // There is nothing on the bus, so the first access times out: the bridge and its bus have a clock, too.
    expect(await link.read(0, 4)).toEqual({ ok: false, fault: { kind: 'error', byteAddress: 0 } });
    await link.close();
  } finally {
    await board.close();
  }
});
