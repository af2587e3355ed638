import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Finding, runDoctor } from '../../../../server/boards/doctor/index.ts';
import type { LinuxFolders } from '../../../../server/boards/doctor/linux-checks.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { findProgram, isProgram } from '../../../../server/process/find-program.ts';
import { neededByFamilies } from '../../../../server/toolchain/engines/installed/tools.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import { modelBoard } from '../../../support/boards/lab.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const temp = () => temporaryFolder('doctor');

/** A Linux of our own: folders that hold what a test puts there. */
function linux(
  files: { rules?: string; running?: string[]; latency?: Record<string, number> } = {},
): LinuxFolders {
  const root = temp();
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  mkdirSync(path.join(root, 'proc'));
  for (const [at, name] of (files.running ?? ['systemd', 'node']).entries())
    write(`proc/${at + 1}/comm`, `${name}\n`);
  for (const [port, ms] of Object.entries(files.latency ?? {}))
    write(`sys/bus/usb-serial/devices/${port}/latency_timer`, `${ms}\n`);
  if (files.rules !== undefined) write('rules/70-wishbench.rules', files.rules);
  return { sys: path.join(root, 'sys'), proc: path.join(root, 'proc'), rules: [path.join(root, 'rules')] };
}

const ourRules = readFileSync(resourcePath('udev', '70-wishbench.rules'), 'utf8');

async function examine(
  computer = new EmulatedComputer(),
  folders = linux(),
  options: { dataDir?: string; searchPath?: string; platform?: NodeJS.Platform } = {},
) {
  const findings = await runDoctor({
    dataDir: options.dataDir ?? temp(),
    families: neededByFamilies(),
    system: {
      bus: computer.bus,
      ports: computer.serialPorts,
      platform: options.platform ?? 'linux',
      folders,
      searchPath: options.searchPath ?? '',
    },
  });
  expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
  for (const { status, remedy } of findings)
    if (status === 'problem' || status === 'warning') expect(remedy).toBeTruthy();
  return (id: string): Finding | undefined => findings.find((finding) => finding.id === id);
}

function withBoard() {
  const computer = new EmulatedComputer();
  const { chip } = modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e' });
  computer.plug('1-2', chip);
  return computer;
}

test('a healthy computer with a board', async () => {
  const computer = withBoard();
  const finding = await examine(computer, linux({ rules: ourRules, latency: { ttyUSB0: 1, ttyUSB1: 1 } }));
  expect(finding('usb')).toMatchObject({ status: 'ok', message: '1 found.' });
  expect(finding('device:1-2')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('iCEBreaker'),
  });
  expect(finding('port:/dev/ttyUSB1')?.status).toBe('ok');
  expect(finding('port:/dev/ttyUSB0')).toBeUndefined();
  expect(finding('udev-rules')?.status).toBe('ok');
  expect(finding('latency:/dev/ttyUSB1')?.status).toBe('ok');
  expect(finding('modemmanager')?.status).toBe('ok');
  expect(finding('data-folder')?.status).toBe('ok');
  expect(computer.openHandles).toBe(0);
});

test('a missing board is no problem', async () => {
  const finding = await examine();
  expect(finding('boards')?.status).toBe('skipped');
});

test('missing permission: opening the device reveals it, and the rules come with their commands', async () => {
  const computer = withBoard();
  computer.device('1-2').permitted = false;
  const finding = await examine(computer);
  expect(finding('device:1-2')).toMatchObject({ status: 'problem', remedy: expect.stringContaining('udev') });
  const remedy = finding('udev-rules')?.remedy;
  expect(remedy).toContain("sudo tee /etc/udev/rules.d/70-wishbench.rules > /dev/null <<'END'");
  expect(remedy).toContain('ATTR{idVendor}=="0403", ATTR{idProduct}=="6010"');
  expect(remedy).toContain('sudo udevadm control --reload-rules');
});

test('rules of another version cause a warning', async () => {
  const finding = await examine(
    withBoard(),
    linux({ rules: `${ourRules}\nSUBSYSTEM=="usb", MODE="0666"\n` }),
  );
  expect(finding('udev-rules')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('is from another version'),
  });
});

test('ModemManager is harmless with our rules, brltty is not', async () => {
  const running = ['ModemManager', 'brltty'];
  const without = await examine(withBoard(), linux({ running }));
  expect(without('modemmanager')?.status).toBe('warning');
  expect(without('brltty')?.status).toBe('warning');
  const withRules = await examine(withBoard(), linux({ running, rules: ourRules }));
  expect(withRules('modemmanager')?.status).toBe('ok');
  expect(withRules('brltty')?.status).toBe('warning');
});

test('a high latency timer is a warning with its price', async () => {
  const finding = await examine(withBoard(), linux({ latency: { ttyUSB1: 16 } }));
  expect(finding('latency:/dev/ttyUSB1')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('63 round trips'),
    remedy: expect.stringContaining('latency_timer'),
  });
});

test('a busy port, one without permission, and a missing one', async () => {
  const computer = withBoard();
  const port = computer.serial.ports.get('/dev/ttyUSB1')!;
  const terminal = await (await computer.serialPorts.binding()).open({ path: port.path, baudRate: 9600 });
  expect((await examine(computer))('port:/dev/ttyUSB1')).toMatchObject({
    status: 'warning',
    remedy: expect.stringMatching(/ModemManager/),
  });
  await terminal.close();
  port.permitted = false;
  expect((await examine(computer))('port:/dev/ttyUSB1')).toMatchObject({
    status: 'problem',
    remedy: expect.stringMatching(/dialout/),
  });
  computer.serial.ports.clear();
  expect((await examine(computer))('port:1-2')?.status).toBe('problem');
});

test('failed device lists are reported, and the other checks still run', async () => {
  const computer = withBoard();
  computer.usbListFails = new Error('getDevices error: /sys/bus/usb/devices/ not found (errno 2)');
  computer.serial.listFails = new Error('spawn udevadm ENOENT');
  const finding = await examine(computer);
  // In words for the operator: no text of the system.
  expect(finding('usb')).toMatchObject({
    status: 'warning',
    message: 'This computer has no USB bus that the bench can see.',
    remedy: expect.stringContaining('Virtual boards'),
  });
  expect(finding('ports')).toMatchObject({ status: 'warning', message: expect.stringContaining('udevadm') });
  expect(finding('data-folder')?.status).toBe('ok');
});

// The tools are shell scripts, which no Windows starts.
test.skipIf(process.platform === 'win32')(
  'tools on the PATH are listed with version and path, missing ones with their purpose',
  async () => {
    const folder = temp();
    for (const [name, text] of Object.entries({
      ecppack: 'ecppack 9.99',
      openFPGALoader: 'openFPGALoader v9.9',
    })) {
      writeFileSync(path.join(folder, name), `#!/bin/sh\necho "${text}"\n`);
      chmodSync(path.join(folder, name), 0o755);
    }
    const finding = await examine(undefined, undefined, { searchPath: `/nowhere${path.delimiter}${folder}` });
    expect(finding('tools:built-in')?.status).toBe('ok');
    expect(finding('tools:Native ECP5 tools')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/ecppack 9\.99 \(.*ecppack\); missing: nextpnr-ecp5\b/),
    });
    expect(finding('tools:Programmer for ECP5 and Gowin boards')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('v9.9'),
    });
    expect(finding('tools:VHDL')).toMatchObject({
      status: 'skipped',
      message: expect.stringContaining('ghdl'),
    });
  },
);

test('Windows: a batch file does not count as a tool', async () => {
  const folder = temp();
  for (const name of ['nextpnr-ecp5.cmd', 'openFPGALoader.bat', 'ghdl.exe']) {
    // No program of any system: what counts is whether it is found.
    writeFileSync(path.join(folder, name), 'MZ');
    chmodSync(path.join(folder, name), 0o755);
  }
  const finding = await examine(undefined, undefined, { searchPath: folder, platform: 'win32' });
  expect(finding('tools:Programmer for ECP5 and Gowin boards')).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/missing: openFPGALoader \(.*openFPGALoader\.bat is a batch file/),
    remedy: expect.stringContaining('.exe'),
  });
  expect(finding('tools:Native ECP5 tools')?.message).toMatch(/nextpnr-ecp5\.cmd is a batch file/);
  expect(finding('tools:VHDL')?.message).toContain('ghdl.exe');
  for (const [name, found] of [
    ['nextpnr-ecp5', null],
    ['openFPGALoader', null],
    ['ghdl', path.join(folder, 'ghdl.exe')],
  ] as const)
    expect((await findProgram(name, folder, 'win32')).file).toBe(found);
  expect(await isProgram(path.join(folder, 'nextpnr-ecp5.cmd'), 'win32')).toBe(false);
  expect(await isProgram(path.join(folder, 'ghdl.exe'), 'win32')).toBe(true);
});

test('suggests only installation commands that exist on the platform', async () => {
  const purposes = async (platform: NodeJS.Platform) => {
    const finding = await examine(undefined, undefined, { platform });
    return ['VHDL', 'Programmer for ECP5 and Gowin boards'].map(
      (title) => finding(`tools:${title}`)?.message,
    );
  };
  expect((await purposes('linux')).join()).toMatch(/apt install ghdl.*apt install openfpgaloader/);
  for (const platform of ['win32', 'darwin'] as const)
    expect((await purposes(platform)).join()).not.toMatch(/Debian|apt/);
  expect((await purposes('darwin')).join()).toContain('brew install openfpgaloader');
});

test('an unwritable data directory is a problem', async () => {
  const file = path.join(temp(), 'file');
  writeFileSync(file, '');
  const finding = await examine(undefined, undefined, { dataDir: path.join(file, 'data') });
  expect(finding('data-folder')).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('--data'),
  });
});

test('Windows: interface 0 must have WinUSB, even if the device opens', async () => {
  const computer = new EmulatedComputer({ system: 'windows' });
  computer.plug('1-2', modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e' }).chip);
  const options = { platform: 'win32' as const };
  expect((await examine(computer, linux(), options))('device:1-2')).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('no driver'),
    remedy: expect.stringContaining('Zadig'),
  });
  expect(computer.openHandles).toBe(0);
  // As after Zadig.
  computer.device('1-2').drivers[0] = null;
  expect((await examine(computer, linux(), options))('device:1-2')?.status).toBe('ok');
  expect(computer.openHandles).toBe(0);
});

test('macOS: an untested setup is reported with the alternative', async () => {
  const options = { platform: 'darwin' as const };
  expect((await examine(withBoard(), linux(), options))('mac:1-2')).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/Not tried.*root/),
    remedy: expect.stringMatching(/sudo.*openFPGALoader -b ice40_generic/),
  });
  expect((await examine(new EmulatedComputer(), linux(), options))('mac:1-2')).toBeUndefined();
  expect((await examine(withBoard()))('mac:1-2')).toBeUndefined();
});

test('other systems omit the Linux findings', async () => {
  const finding = await examine(withBoard(), linux(), { platform: 'win32' });
  expect(finding('udev-rules')).toBeUndefined();
  expect(finding('brltty')).toBeUndefined();
});
