import path from 'node:path';
import type { App } from 'electron';
import type { DesktopCommand } from '../preload/bridge.ts';

const PROTOCOL = 'wishbench';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parses `wishbench://node/3` and `wishbench://job/<uuid>`; null for anything else. */
export function parseDeepLink(link: string): DesktopCommand | null {
  const match = new RegExp(`^${PROTOCOL}://(node|job)/([^/?#]+)/?$`, 'i').exec(link);
  if (!match) return null;
  const [, kind = '', id = ''] = match;
  if (kind.toLowerCase() === 'node')
    return /^[0-9]$/.test(id) ? { kind: 'open-node', fpga_id: Number(id) } : null;
  return UUID.test(id) ? { kind: 'open-job', job_id: id.toLowerCase() } : null;
}

/** The deep link on a command line, where Windows and Linux put it. */
export function findDeepLink(argv: readonly string[]): DesktopCommand | null {
  const link = argv.find((argument) => argument.toLowerCase().startsWith(`${PROTOCOL}:`));
  return link === undefined ? null : parseDeepLink(link);
}

export function setupDeepLinks(app: App, open: (command: DesktopCommand) => void): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(PROTOCOL);
  else if (process.argv[1] !== undefined)
    app.setAsDefaultProtocolClient(PROTOCOL, process.execPath, [path.resolve(process.argv[1])]);
  // macOS sends links as an event.
  app.on('open-url', (event, url) => {
    event.preventDefault();
    const command = parseDeepLink(url);
    if (command) open(command);
  });
}
