import { existsSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from '../../contract/boards/boards.ts';
import type { AttachedBoard } from '../discovery/attached.ts';

/** Folders of Linux, as parameters for tests. */
export interface LinuxFolders {
  sys: string;
  proc: string;
  /** Folders that udev searches for rules; the first match wins. */
  rules: string[];
}

export const LINUX_FOLDERS: LinuxFolders = {
  sys: '/sys',
  proc: '/proc',
  rules: [
    '/etc/udev/rules.d',
    '/run/udev/rules.d',
    '/usr/local/lib/udev/rules.d',
    '/usr/lib/udev/rules.d',
    '/lib/udev/rules.d',
  ],
};

const RULES_FILE = '70-wishbench.rules';

/** Checks that our udev rules are installed and current; the remedy contains the commands and the rules. */
export async function checkUdevRules(source: string, folders: string[]): Promise<Finding> {
  const about = { id: 'udev-rules', title: 'udev rules' };
  const ours = await readFile(source, 'utf8');
  const installed = folders.map((folder) => path.join(folder, RULES_FILE)).find((file) => existsSync(file));
  const rules = rulesIn(ours);
  // The rules as text instead of a path: cp can't copy a file from inside a packaged application.
  const remedy = [
    `sudo tee /etc/udev/rules.d/${RULES_FILE} > /dev/null <<'END'`,
    ...rules,
    'END',
    'sudo udevadm control --reload-rules',
    'sudo udevadm trigger --subsystem-match=usb --subsystem-match=tty',
  ].join('\n');
  if (!installed) return { ...about, status: 'warning', message: `${RULES_FILE} is not installed.`, remedy };
  if (rulesIn(await readFile(installed, 'utf8')).join() !== rules.join())
    return { ...about, status: 'warning', message: `${installed} is from another version.`, remedy };
  return { ...about, status: 'ok', message: `${installed} is installed.` };
}

/** The effective lines of a rules file. */
const rulesIn = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

/** Programs that open serial ports and take them for a modem or a braille display. */
const GRABBERS = [
  {
    comm: 'ModemManager',
    harmlessWithRules: true,
    remedy: 'Install the udev rules above, or stop it: sudo systemctl disable --now ModemManager',
  },
  {
    comm: 'brltty',
    harmlessWithRules: false,
    remedy: 'If no user here needs a braille display: sudo apt remove brltty',
  },
] as const;

/** Checks for ModemManager and brltty, which take serial ports. */
export async function checkGrabbers(proc: string, rulesInstalled: boolean): Promise<Finding[]> {
  const running = await commandNames(proc);
  return GRABBERS.map(({ comm, harmlessWithRules, remedy }): Finding => {
    const about = { id: comm.toLowerCase(), title: comm };
    if (running === null)
      return { ...about, status: 'skipped', message: 'The running programs cannot be listed.' };
    if (!running.has(comm)) return { ...about, status: 'ok', message: 'It is not running.' };
    if (harmlessWithRules && rulesInstalled)
      return {
        ...about,
        status: 'ok',
        message: 'It is running; the udev rules keep it away from the boards.',
      };
    return {
      ...about,
      status: 'warning',
      message: 'It is running and may grab the serial ports of boards.',
      remedy,
    };
  });
}

async function commandNames(proc: string): Promise<Set<string> | null> {
  try {
    const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
    const names = await Promise.all(
      pids.map((pid) => readFile(path.join(proc, pid, 'comm'), 'utf8').catch(() => '')),
    );
    return new Set(names.map((name) => name.trim()));
  } catch {
    return null;
  }
}

/** Checks that the FTDI latency timers of attached boards are low; only ports of ftdi_sio have one. */
export async function checkLatency(attached: AttachedBoard[], sys: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { path: port } of attached.flatMap((board) => board.ports)) {
    const file = path.join(sys, 'bus', 'usb-serial', 'devices', path.basename(port), 'latency_timer');
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) continue;
    const ms = Number(text);
    const about = { id: `latency:${port}`, title: `Latency timer of ${port}` };
    if (ms <= 1) findings.push({ ...about, status: 'ok', message: `${ms} ms.` });
    else
      findings.push({
        ...about,
        status: 'warning',
        message: `${ms} ms: about ${Math.round(1000 / ms)} round trips a second, unless the bench can lower it.`,
        remedy: `Install the udev rules above, or: echo 1 | sudo tee ${file}`,
      });
  }
  return findings;
}

/** Whether this process has the file open. */
export async function isOpenHere(file: string, proc: string): Promise<boolean> {
  const folder = path.join(proc, 'self', 'fd');
  const fds = await readdir(folder).catch(() => []);
  const targets = await Promise.all(fds.map((fd) => readlink(path.join(folder, fd)).catch(() => '')));
  return targets.includes(file);
}
