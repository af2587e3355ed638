import { readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../../server/paths.ts';
import type { GuestKernel, GuestSystem } from './kernel.ts';
import { preloadedFiles } from './preload.ts';

/** Modules that the guest needs before it sees the host's files; it loads others from there. */
const FIRST_MODULES = ['virtio_pci', 'virtio_net', '9pnet_virtio', '9p', 'overlay'];

/** A file, or a folder when it has no content. */
interface Entry {
  name: string;
  mode: number;
  content?: Uint8Array;
}

/** An archive as the kernel unpacks it (Documentation/driver-api/early-userspace/buffer-format.rst, `newc`). */
function archive(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const padded = (bytes: Uint8Array) => parts.push(Buffer.from(bytes), Buffer.alloc(-bytes.length & 3));
  [...entries, { name: 'TRAILER!!!', mode: 0 }].forEach(({ name, mode, content = new Uint8Array(0) }, at) => {
    const text = Buffer.from(`${name}\0`);
    const fields = [at + 1, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, text.length, 0];
    const head = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`;
    padded(Buffer.concat([Buffer.from(head), text]));
    padded(content);
  });
  return Buffer.concat(parts);
}

/** The folders that files lie in, outer ones first. */
function foldersOf(files: readonly Entry[]): string[] {
  const outward = (name: string): string[] =>
    path.dirname(name) === '.' ? [] : [path.dirname(name), ...outward(path.dirname(name))];
  return [...new Set(files.flatMap(({ name }) => outward(name).toReversed()))];
}

/** Files of the first modules and of what they depend on, in the order in which they can be loaded. */
function loadOrder({ modules }: GuestKernel): string[] {
  const dependencies = new Map(
    readFileSync(path.join(modules, 'modules.dep'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const [file = '', needs = ''] = line.split(':');
        return [file, needs.trim().split(' ').filter(Boolean)] as const;
      }),
  );
  const nameOf = (file: string) => path.basename(file, '.ko').replaceAll('-', '_');
  const order = FIRST_MODULES.flatMap((name) => {
    const file = [...dependencies.keys()].find((one) => nameOf(one) === name);
    // The kernel has it built in.
    if (file === undefined) return [];
    return [...(dependencies.get(file) ?? []).toReversed(), file];
  });
  return [...new Set(order)];
}

/**
 * The guest's first process: mounts the host's files read-only under a layer of its own, so that the guest leaves no
 * trace, and continues there.
 */
const firstProcess = ({ kernel, udev }: GuestSystem, files: readonly string[]) => `#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc; $b mount -t sysfs sys /sys; $b mount -t devtmpfs dev /dev
for module in ${files.map((file) => path.basename(file)).join(' ')}; do $b insmod /modules/$module; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,ro,cache=loose host /host
$b mount -t tmpfs own /own; $b mkdir -p /own/upper /own/work
$b mount -t overlay -o lowerdir=/host,upperdir=/own/upper,workdir=/own/work all /new
$b mkdir -p /new/lib/modules/${kernel.version} /new/proc /new/sys /new/dev /new/run
$b mount --bind '/host${kernel.modules}' /new/lib/modules/${kernel.version}
for folder in proc sys dev; do $b mount --move /$folder /new/$folder; done
$b mount -t tmpfs run /new/run
# Parts of the project's folder that are in the guest's memory, with what is left of them on the host in it.
for folder in dist/server node_modules; do $b mount --bind /preloaded/$folder '/new${appRoot}'/$folder; done
for folder in @yowasp .cache; do
  [ -d '/host${appRoot}'/node_modules/$folder ] || continue
  $b mkdir -p /preloaded/node_modules/$folder
  $b mount --bind '/host${appRoot}'/node_modules/$folder '/new${appRoot}'/node_modules/$folder
done
$b chroot /new /bin/bash '${path.join(appRoot, 'tests/usb-vm/guest/start.sh')}' '${process.execPath}' '${udev}' 2>&1
echo The guest has ended.
$b poweroff -f
`;

/** The initial file system of the guest. */
export function initramfs(system: GuestSystem): Buffer {
  const { kernel } = system;
  const files = loadOrder(kernel);
  const folder = (name: string): Entry => ({ name, mode: 0o040755 });
  const program = (name: string, content: Uint8Array): Entry => ({ name, mode: 0o100755, content });
  const preloaded = preloadedFiles().map(({ name, content }) => program(`preloaded/${name}`, content));
  return archive([
    ...['bin', 'dev', 'host', 'modules', 'new', 'own', 'proc', 'sys'].map(folder),
    program('bin/busybox', readFileSync('/bin/busybox')),
    ...files.map((file) =>
      program(`modules/${path.basename(file)}`, readFileSync(path.join(kernel.modules, file))),
    ),
    ...foldersOf(preloaded).map(folder),
    ...preloaded,
    program('init', Buffer.from(firstProcess(system, files))),
  ]);
}
