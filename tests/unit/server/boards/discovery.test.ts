import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { BoardDiscovery } from '../../../../server/boards/discovery/discovery.ts';
import type { UsbBus, UsbBusDevice } from '../../../../server/boards/usb/usb-bus.ts';
import { createLogger, type Logger, silentLogger } from '../../../../server/log.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import { modelBoard } from '../../../support/boards/lab.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const unhandled: unknown[] = [];
const onUnhandled = (error: unknown) => unhandled.push(error);

beforeEach(() => {
  process.on('unhandledRejection', onUnhandled);
});

/** In Electron an unhandled rejection closes the application. */
afterEach(() => {
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled.splice(0)).toEqual([]);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function discoveryOn(
  computer: EmulatedComputer,
  bus: UsbBus = computer.bus,
  logger: Logger = silentLogger,
) {
  const discovery = new BoardDiscovery({
    bus,
    ports: computer.serialPorts,
    boards: loadCatalogue().boards,
    clock: new FakeClock(),
    logger,
  });
  await discovery.start();
  return discovery;
}

const READ_LATENCY = {
  requestType: 'vendor',
  recipient: 'device',
  request: 0x0a,
  value: 0,
  index: 1,
} as const;

/** A programmer's calls between scans; each native call stays pending for a while. */
const CALLS: Record<string, (device: UsbBusDevice) => Promise<unknown>> = {
  control: (device) => device.controlTransferIn(READ_LATENCY, 1),
  read: (device) => device.transferIn(1, 512),
  write: (device) => device.transferOut(2, Uint8Array.of(0x81, 0x87)),
  driver: (device) => device.detachKernelDriver(1).then(() => device.attachKernelDriver(1)),
};

test('scans at any point of any native call never reject, and the open board stays', async () => {
  const step = fc.constantFrom('turn', 'scan', 'scan with ports', ...Object.keys(CALLS));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const computer = new EmulatedComputer();
      computer.plug('1-2', modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e' }).chip);
      computer.plug('1-3', modelBoard({ serial: 'A2', product: 'iCEBreaker V1.0e' }).chip);
      const discovery = await discoveryOn(computer);
      const held = discovery.attached.find(({ location }) => location === '1-2')!;
      const { device } = held;
      await device.open();
      await device.detachKernelDriver(0);
      await device.claimInterface(0);
      const calls: Promise<unknown>[] = [];
      const scans: Promise<void>[] = [];
      for (const one of steps) {
        const call = CALLS[one];
        // Messages of the chip are separate: an endpoint carries one transfer at a time.
        if (call) calls.push(call(device).catch(() => {}));
        else if (one !== 'turn') scans.push(discovery.rescan(one === 'scan with ports'));
        await turn();
      }
      await Promise.all(scans);
      await Promise.all(calls);
      await discovery.rescan();
      expect(discovery.problems).toEqual([]);
      expect(discovery.attached.find(({ location }) => location === '1-2')?.device).toBe(device);
      await discovery.close();
    }),
    { numRuns: 60 },
  );
});

test('a slow transfer blocks neither scanning nor other boards', async () => {
  const computer = new EmulatedComputer();
  const slow = modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e', wire: 'modelled' });
  computer.plug('1-2', slow.chip);
  const discovery = await discoveryOn(computer);
  const [held] = discovery.attached;
  await held!.device.open();
  await held!.device.detachKernelDriver(0);
  await held!.device.claimInterface(0);
  let ended = false;
  // 64 KiB out at 10 kHz, of which the chip's buffer holds 4: it takes most of a minute.
  const pending = held!.device
    .transferOut(2, Uint8Array.of(0x86, 599 & 0xff, 599 >> 8, 0x11, 0xff, 0xff, ...new Uint8Array(65_536)))
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  computer.plug('1-3', modelBoard({ serial: 'A2', product: 'iCEBreaker V1.0e' }).chip);
  await discovery.rescan();
  expect(discovery.attached.map(({ id }) => id)).toEqual(['usb:A1', 'usb:A2']);
  expect(discovery.attached[0]?.device).toBe(held!.device);
  expect(ended).toBe(false);
  computer.unplug('1-2');
  await pending;
  await discovery.close();
});

test('an unreadable device is reported as a problem, and known boards stay', async () => {
  const computer = new EmulatedComputer();
  computer.plug('1-2', modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e' }).chip);
  let unreadable = false;
  const { bus } = computer;
  const discovery = await discoveryOn(computer, {
    ...bus,
    async getDevices() {
      const devices = await bus.getDevices();
      // A pending call on the very objects that the scan is handed.
      if (unreadable) for (const device of devices) void device.open();
      return devices;
    },
  });
  unreadable = true;
  await discovery.rescan();
  expect(discovery.problems).toMatchObject([{ code: 'usb_unavailable' }]);
  expect(discovery.attached.map(({ id }) => id)).toEqual(['usb:A1']);
  unreadable = false;
  await discovery.rescan();
  expect(discovery.problems).toEqual([]);
  await discovery.close();
});

test('a missing USB bus is reported once, with a remedy', async () => {
  const computer = new EmulatedComputer();
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
  const discovery = await discoveryOn(computer, computer.bus, logger);
  const noBus = new Error('getDevices error: /sys/bus/usb/devices/ not found (errno 2)');
  for (const fails of [noBus, null, noBus]) {
    computer.usbListFails = fails;
    await discovery.rescan();
  }
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  expect(warnings).toHaveLength(1);
  expect(warnings[0].msg).toMatch(/^This computer has no USB bus that the bench can see\. .*Virtual boards/);
  expect(lines.join()).not.toContain('errno');
  expect(discovery.problems[0]?.message).toBe('This computer has no USB bus that the bench can see.');
  await discovery.close();
});
