import type { DiscoveryProblem, Finding } from '../../contract/boards/boards.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { boardsError } from '../../errors/boards.ts';
import { closePort } from '../../wishbone/close-port.ts';
import type { Catalogue } from '../catalogue/index.ts';
import { type AttachedBoard, identifyBoards } from '../discovery/attached.ts';
import { portsProblem, usbProblem } from '../discovery/problems.ts';
import type { SerialPortInfo, SerialPorts } from '../discovery/serial-ports.ts';
import { openPort } from '../serial/open-port.ts';
import type { UsbBus, UsbBusDevice } from '../usb/usb-bus.ts';
import { usbError } from '../usb/usb-error.ts';

interface UsbCheckOptions {
  bus: UsbBus;
  ports: SerialPorts;
  catalogue: Catalogue;
  /** Whether this process has a port open; such a port works. */
  held: (path: string) => Promise<boolean>;
  platform: NodeJS.Platform;
}

/** Lists attached boards and opens each: only an attempt shows whether the system allows it. */
export async function checkBoards(
  options: UsbCheckOptions,
): Promise<{ findings: Finding[]; attached: AttachedBoard[] }> {
  const findings: Finding[] = [];
  const devices = await listed(findings, 'usb', 'USB devices', usbProblem, () => options.bus.getDevices());
  const ports = await listed(findings, 'ports', 'Serial ports', portsProblem, () => options.ports.list());
  const attached = identifyBoards(devices ?? [], ports ?? [], options.catalogue.boards);
  for (const board of attached)
    findings.push(await checkDevice(board, options.platform), ...(await checkPorts(board, options)));
  return { findings, attached };
}

async function listed<T extends UsbBusDevice | SerialPortInfo>(
  findings: Finding[],
  id: string,
  title: string,
  problem: (error: unknown) => DiscoveryProblem,
  list: () => Promise<T[]>,
): Promise<T[] | null> {
  try {
    const found = await list();
    findings.push({ id, title, status: 'ok', message: `${found.length} found.` });
    return found;
  } catch (error) {
    const { message, remedy } = problem(error);
    // Virtual boards work without USB: a container without it is a warning only.
    findings.push({ id, title, status: 'warning', message, remedy });
    return null;
  }
}

const nameOf = (board: AttachedBoard) =>
  `${board.product ?? board.candidates[0]?.name ?? 'Board'} at USB port ${board.location}`;

/** USB vendor id of FTDI. */
const FTDI = 0x0403;

/**
 * Opens the device, and on Windows claims interface 0 as the programmers do. On Windows a device opens with any driver,
 * and only a claim proves WinUSB. On Linux a claim would take the interface from its serial driver.
 */
async function checkDevice(board: AttachedBoard, platform: NodeJS.Platform): Promise<Finding> {
  const id = `device:${board.location}`;
  const title = nameOf(board);
  const names = board.candidates.map(({ name }) => name).join(' or ');
  const { device } = board;
  const claims = platform === 'win32' && board.vendorId === FTDI;
  try {
    await device.open();
    try {
      if (claims) {
        await device.claimInterface(0);
        await device.releaseInterface(0);
      }
    } finally {
      await device.close();
    }
    return { id, title, status: 'ok', message: `It can be opened. It is: ${names}.` };
  } catch (error) {
    const { message, remedy } = usbError(error, 'open');
    return { id, title, status: 'problem', message, remedy };
  }
}

async function checkPorts(board: AttachedBoard, { ports, held }: UsbCheckOptions): Promise<Finding[]> {
  const wanted = new Set(board.candidates.map(({ usb }) => usb?.serialInterface));
  const candidates = board.ports.filter(
    ({ interfaceNumber }) => interfaceNumber === null || wanted.has(interfaceNumber),
  );
  if (candidates.length === 0) {
    const { message, remedy } = boardsError.specs.port_missing;
    return [
      {
        id: `port:${board.location}`,
        title: `Serial port of ${nameOf(board)}`,
        status: 'problem',
        message,
        remedy,
      },
    ];
  }
  return Promise.all(candidates.map(({ path }) => checkPort(path, ports, held)));
}

async function checkPort(
  path: string,
  ports: SerialPorts,
  held: (path: string) => Promise<boolean>,
): Promise<Finding> {
  const about = { id: `port:${path}`, title: `Serial port ${path}` };
  if (await held(path)) return { ...about, status: 'ok', message: 'It is open: this bench is using it.' };
  try {
    const { port } = await openPort({ path, baud: 115_200, binding: await ports.binding() });
    await closePort(port);
    return { ...about, status: 'ok', message: 'It can be opened.' };
  } catch (error) {
    const named = error instanceof BenchError ? error : boardsError('port_failed', { cause: error });
    return {
      ...about,
      status: named.code === 'port_busy' ? 'warning' : 'problem',
      message: named.message,
      remedy: named.remedy,
    };
  }
}
