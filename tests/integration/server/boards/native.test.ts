import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../../server/boards/doctor/index.ts';
import { distPath, resourcePath } from '../../../../server/paths.ts';
import { canFakeSystem, fakeSystem, inside } from '../../../support/boards/fake-usb-system.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const works = canFakeSystem();

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
  /** Messages of udev when it reads a file of rules. */
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
