import { type Clock, systemClock } from '../../clock.ts';
import type { Finding } from '../../contract/boards/boards.ts';
import { resourcePath } from '../../paths.ts';
import { loadCatalogue } from '../catalogue/index.ts';
import { nativeSerialPorts, type SerialPorts } from '../discovery/serial-ports.ts';
import { nativeUsbBus } from '../usb/native-usb-bus.ts';
import type { UsbBus } from '../usb/usb-bus.ts';
import { checkDataFolder } from './data-folder-check.ts';
import {
  checkGrabbers,
  checkLatency,
  checkUdevRules,
  isOpenHere,
  LINUX_FOLDERS,
  type LinuxFolders,
} from './linux-checks.ts';
import { checkMac } from './mac-checks.ts';
import { checkTools, type NeededTools } from './tools-check.ts';
import { checkBoards } from './usb-checks.ts';

export type { Finding } from '../../contract/boards/boards.ts';

interface DoctorOptions {
  dataDir: string;
  clock?: Clock;
  /** Installed tools that the families of FPGAs need. */
  families: readonly NeededTools[];
  /** The computer to check; default this one. */
  system?: {
    bus?: UsbBus;
    ports?: SerialPorts;
    platform?: NodeJS.Platform;
    folders?: LinuxFolders;
    searchPath?: string;
  };
}

/**
 * Checks boards, tools and the data directory; each problem comes with a remedy. It tests by doing: it opens devices
 * and ports for a moment and writes to the directory. Never throws.
 */
export async function runDoctor({
  dataDir,
  clock = systemClock,
  families,
  system = {},
}: DoctorOptions): Promise<Finding[]> {
  const platform = system.platform ?? process.platform;
  const folders = system.folders ?? LINUX_FOLDERS;
  const { PATH = '' } = process.env;
  const linux = platform === 'linux';
  const { findings, attached } = await checkBoards({
    bus: system.bus ?? nativeUsbBus(),
    ports: system.ports ?? nativeSerialPorts(platform),
    catalogue: loadCatalogue(),
    held: async (path) => linux && isOpenHere(path, folders.proc),
    platform,
  });
  if (attached.length === 0)
    findings.push({
      id: 'boards',
      title: 'Boards',
      status: 'skipped',
      message: 'No board of the catalogue is attached; the virtual boards need none.',
    });
  if (platform === 'darwin') findings.push(...checkMac(attached));
  if (linux) {
    const rules = await checkUdevRules(resourcePath('udev', '70-wishbench.rules'), folders.rules);
    findings.push(
      rules,
      ...(await checkGrabbers(folders.proc, rules.status === 'ok')),
      ...(await checkLatency(attached, folders.sys)),
    );
  }
  return [
    ...findings,
    ...(await checkTools(clock, system.searchPath ?? PATH, families, platform)),
    await checkDataFolder(dataDir),
  ];
}
