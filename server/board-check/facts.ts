import { readFile, readlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DriverFact } from '../contract/boards/board-checks.ts';
import type { BoardEntry } from '../contract/boards/boards.ts';

/** The system of the service, for a report: nothing that identifies the computer or its user. */
export const systemFacts = () => ({ platform: os.platform(), release: os.release(), arch: os.arch() });

/** Versions of the runtime. */
export const runtimeVersions = (): Record<string, string> => {
  const { node, electron } = process.versions;
  return { node, ...(electron === undefined ? {} : { electron }) };
};

/** USB interfaces of an FPGA board's chip to look up: an FT4232H has four. */
const INTERFACES = [0, 1, 2, 3];

const text = (file: string) =>
  readFile(file, 'utf8').then(
    (content) => content.trim(),
    () => null,
  );

/**
 * System facts about a board's USB device: its speed, the driver of each interface, and the latency timer of its serial
 * port. Only Linux has them in files; elsewhere there is only the port. Never throws.
 * @param sys mount point of sysfs
 */
export async function driverFacts(
  { usb, serialPort }: BoardEntry,
  sys: string | null,
): Promise<DriverFact[]> {
  const facts: DriverFact[] = [];
  if (usb && sys !== null) {
    const device = path.join(sys, 'bus', 'usb', 'devices', usb.port);
    const speed = await text(path.join(device, 'speed'));
    if (speed !== null) facts.push({ name: 'USB speed', value: `${speed} Mbit/s` });
    for (const index of INTERFACES) {
      const folder = path.join(device, `${usb.port}:1.${index}`);
      if ((await text(path.join(folder, 'bInterfaceNumber'))) === null) continue;
      const driver = await readlink(path.join(folder, 'driver')).then(path.basename, () => 'none');
      facts.push({ name: `Driver of interface ${index}`, value: driver });
    }
  }
  if (serialPort != null) facts.push({ name: 'Serial port', value: serialPort });
  if (serialPort != null && sys !== null) {
    const folder = path.join(sys, 'bus', 'usb-serial', 'devices', path.basename(serialPort));
    const latency = await text(path.join(folder, 'latency_timer'));
    if (latency !== null) facts.push({ name: 'Latency timer', value: `${latency} ms` });
  }
  return facts;
}
