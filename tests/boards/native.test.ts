import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../server/boards/doctor/index.ts';
import { appRoot, distPath, resourcePath } from '../../server/paths.ts';
import { temporaryFolder } from './support/temporary.ts';

/** A folder that stands in for /sys with one FT2232H board in USB port 1-2, and its device file. */
function fakeSystem() {
  const root = temporaryFolder('sys');
  const device = path.join(root, 'sys/devices/usb1/1-2');
  mkdirSync(device, { recursive: true });
  mkdirSync(path.join(root, 'sys/bus/usb/devices'), { recursive: true });
  mkdirSync(path.join(root, 'bus/usb/001'), { recursive: true });
  const attributes = {
    busnum: '1',
    devnum: '7',
    devpath: '2',
    idVendor: '0403',
    idProduct: '6010',
    bcdDevice: '0700',
    version: ' 2.00',
    bDeviceClass: '00',
    bDeviceSubClass: '00',
    bDeviceProtocol: '00',
    speed: '480',
    manufacturer: '1BitSquared',
    product: 'iCEBreaker V1.0e',
    serial: 'ib001',
  };
  for (const [name, text] of Object.entries(attributes)) writeFileSync(path.join(device, name), `${text}\n`);
  symlinkSync('../../../devices/usb1/1-2', path.join(root, 'sys/bus/usb/devices/1-2'));
  const file = path.join(root, 'bus/usb/001/007');
  writeFileSync(file, '');
  chmodSync(file, 0o000);
  return root;
}

/** Runs a command where /sys and /dev/bus are those of `root`, as a user without privileges. */
function inside(root: string, command: string[]) {
  const binds = ['--ro-bind', '/', '/', '--bind', path.join(root, 'sys'), '/sys', '--dev', '/dev'];
  const device = ['--bind', path.join(root, 'bus'), '/dev/bus', '--proc', '/proc', '--tmpfs', '/tmp'];
  // The project may lie below /tmp itself.
  const project = ['--ro-bind', appRoot, appRoot];
  const user = ['--unshare-user', '--uid', '1000', '--gid', '1000'];
  return spawnSync('bwrap', [...user, ...binds, ...device, ...project, ...command], { encoding: 'utf8' });
}

const works = inside(fakeSystem(), ['true']).status === 0;

describe.skipIf(!works)('the native USB layer, on a /sys of our own', () => {
  let findings: Finding[];

  beforeAll(() => {
    const doctor = [
      process.execPath,
      distPath('server', 'cli.js'),
      'doctor',
      '--json',
      '--data',
      '/tmp/data',
    ];
    const { stdout } = inside(fakeSystem(), doctor);
    findings = JSON.parse(stdout);
  });

  test('lists the device with its strings', () => {
    expect(findings.find(({ id }) => id === 'usb')).toMatchObject({ status: 'ok', message: '1 found.' });
    expect(findings.find(({ id }) => id === 'device:1-2')?.title).toBe('iCEBreaker V1.0e at USB port 1-2');
  });

  test('names the missing permission', () => {
    expect(findings.find(({ id }) => id === 'device:1-2')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('does not let this user open'),
      remedy: expect.stringContaining('udev'),
    });
  });
});

const hasUdevadm = spawnSync('udevadm', ['--version']).status === 0;

describe.skipIf(!works || !hasUdevadm)('udev', () => {
  /** What udev says when it reads a file of rules. */
  const read = (rules: string) => {
    const root = fakeSystem();
    mkdirSync(path.join(root, 'rules'));
    const folder = ['--bind', path.join(root, 'rules'), '/etc/udev/rules.d'];
    const file = '/etc/udev/rules.d/70-wishbench.rules';
    const script = [
      'bwrap',
      '--ro-bind',
      '/',
      '/',
      ...folder,
      '--ro-bind',
      rules,
      file,
      '--dev',
      '/dev',
      '--proc',
      '/proc',
    ];
    const { stderr } = spawnSync(
      script[0]!,
      [...script.slice(1), 'udevadm', 'test', '/devices/virtual/mem/null'],
      {
        encoding: 'utf8',
      },
    );
    return stderr.split('\n').filter((line) => line.includes(file));
  };

  test('reads our rules without a complaint, and complains about a wrong one', () => {
    expect(read(resourcePath('udev', '70-wishbench.rules'))).toEqual([
      'Reading rules file: /etc/udev/rules.d/70-wishbench.rules',
    ]);
    const wrong = path.join(temporaryFolder('rules'), 'x.rules');
    writeFileSync(wrong, 'SUBSYSTEM=="usb", NO_SUCH_KEY="1"\n');
    expect(read(wrong).join('\n')).toMatch(/NO_SUCH_KEY/);
  });
});
