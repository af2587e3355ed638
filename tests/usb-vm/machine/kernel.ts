import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fetchPackage, must, unpack, unpackedAt } from './packages.ts';

/** A Linux kernel that the guest can boot, with its modules. */
export interface GuestKernel {
  /** File of the bootable image. */
  image: string;
  /** Folder `lib/modules/<version>`, with modules.dep. */
  modules: string;
  version: string;
}

/** The parts of the guest besides the host's files. */
export interface GuestSystem {
  kernel: GuestKernel;
  /** Folder of udev, see findUdev(). */
  udev: string;
}

/** Programs the host needs, by the Debian package that has them. */
const PROGRAMS: Record<string, string> = {
  'qemu-system-x86': '/usr/bin/qemu-system-x86_64',
  'busybox-static': '/bin/busybox',
  usbip: '/usr/sbin/usbip',
  kmod: '/sbin/modprobe',
};

/** Programmers of others that scenarios run in the guest, by name, with the Debian package that has each. */
const PROGRAMMERS = { iceprog: 'fpga-icestorm', openFPGALoader: 'openfpgaloader' } as const;
export type Programmer = keyof typeof PROGRAMMERS;

/** Why scenarios with a programmer cannot run, or null: the guest has the host's. */
export function whyWithout(programmer: Programmer): string | null {
  const there = ['/usr/local/bin', '/usr/bin'].some((folder) => existsSync(path.join(folder, programmer)));
  return there ? null : `${programmer} is not installed (package ${PROGRAMMERS[programmer]})`;
}

/** Why no guest can run on this machine, or null. */
export function whatIsMissing(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'the guest is an x86-64 Linux that shares its programs with the host';
  const missing = Object.entries(PROGRAMS).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));
  if (missing.length > 0) return `these packages are not installed: ${missing.join(' ')}`;
  return null;
}

/**
 * The kernel of WISHBENCH_KERNEL_DEB, else one that is installed, else one that was fetched before, else Debian's,
 * fetched with apt-get; null when there is none to be had.
 */
export function findKernel(): GuestKernel | null {
  const named = process.env['WISHBENCH_KERNEL_DEB'];
  if (named) return prepared(unpack(named, 'kernel'));
  return below('/') ?? below(unpackedAt('kernel')) ?? fetched();
}

/** The newest kernel below a folder that has `boot` and `lib/modules`. */
function below(root: string): GuestKernel | null {
  const folder = path.join(root, 'lib/modules');
  const versions = existsSync(folder) ? readdirSync(folder).sort().reverse() : [];
  for (const version of versions) {
    const image = path.join(root, 'boot', `vmlinuz-${version}`);
    const modules = path.join(folder, version);
    // Only uncompressed modules: the guest loads the first ones with busybox.
    const usable = existsSync(path.join(modules, 'modules.dep')) && readable(image);
    if (usable && existsSync(path.join(modules, 'kernel/drivers/usb/usbip/vhci-hcd.ko')))
      return { image, modules, version };
  }
  return null;
}

function readable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function fetched(): GuestKernel | null {
  const { stdout } = spawnSync('apt-cache', ['depends', 'linux-image-amd64'], { encoding: 'utf8' });
  const name = /Depends: (linux-image-[\w.+-]+)/.exec(stdout ?? '')?.[1];
  const root = name === undefined ? null : fetchPackage(name, 'kernel');
  return root === null ? null : prepared(root);
}

function prepared(root: string): GuestKernel {
  const [version = ''] = readdirSync(path.join(root, 'lib/modules'));
  must('/sbin/depmod', ['-b', root, version]);
  const kernel = below(root);
  if (!kernel) throw new Error('The package holds no kernel that the guest can boot.');
  return kernel;
}

/**
 * Folder of an unpacked udev; empty if udev is installed, null if there is none. The tests never install it: on a
 * running system that replaces services.
 */
export function findUdev(): string | null {
  if (existsSync('/bin/udevadm')) return '';
  const root = unpackedAt('udev');
  return existsSync(path.join(root, 'bin/udevadm')) ? root : fetchPackage('udev', 'udev');
}
