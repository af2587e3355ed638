import os from 'node:os';
import path from 'node:path';
import { BrowserWindow, type Rectangle, screen } from 'electron';
import Type from 'typebox';
import { checkOf } from '../server/contract/check.ts';
import { JsonFile } from './desktop-settings.ts';

const isWindowState = checkOf(
  Type.Object({
    bounds: Type.Object({
      x: Type.Integer(),
      y: Type.Integer(),
      width: Type.Integer(),
      height: Type.Integer(),
    }),
    maximized: Type.Boolean(),
  }),
);

const DEFAULT_STATE = { bounds: { x: -1, y: -1, width: 1440, height: 900 }, maximized: false };

/** The system's user, under whose name the window submits; a container may have none. */
function systemUser(): string {
  try {
    return os.userInfo().username;
  } catch {
    return '';
  }
}

/** The stored bounds, unless their display is gone: then the window is centred. */
export function visibleBounds(kept: Rectangle, displays: Rectangle[]): Partial<Rectangle> {
  const size = { width: Math.max(kept.width, 960), height: Math.max(kept.height, 600) };
  // Enough of the title bar must be reachable to move the window.
  const reachable = displays.some(
    (area) =>
      kept.x + size.width > area.x + 80 &&
      kept.x < area.x + area.width - 80 &&
      kept.y >= area.y &&
      kept.y < area.y + area.height - 40,
  );
  return reachable ? { x: kept.x, y: kept.y, ...size } : size;
}

/** The only window: sandboxed, isolated, with our preload and nothing of Node. */
export function createWindow(options: {
  userData: string;
  icon: string;
  preload: string;
  version: string;
}): BrowserWindow {
  const file = new JsonFile(path.join(options.userData, 'window.json'), DEFAULT_STATE, isWindowState);
  const displays = screen.getAllDisplays();
  const areas = (displays.length > 0 ? displays : [screen.getPrimaryDisplay()]).map(
    (display) => display.workArea,
  );
  const window = new BrowserWindow({
    ...visibleBounds(file.value.bounds, areas),
    minWidth: 960,
    minHeight: 600,
    title: 'Wishbench',
    icon: options.icon,
    show: false,
    backgroundColor: '#14171a',
    webPreferences: {
      preload: options.preload,
      additionalArguments: [
        `--wishbench-version=${options.version}`,
        `--wishbench-user=${encodeURIComponent(systemUser())}`,
      ],
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  if (file.value.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  const keep = () => {
    if (!window.isDestroyed())
      file.set({ bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  };
  window.on('close', keep);
  window.on('hide', keep);
  return window;
}
