import { type App, Menu, type MenuItemConstructorOptions } from 'electron';
import type { DesktopCommand } from '../preload/bridge.ts';

interface MenuActions {
  command(command: DesktopCommand): void;
  openInBrowser(): void;
  showLogs(): void;
  saveSystemReport(): void;
  checkForUpdates(): void;
  about(): void;
  quit(): void;
}

/** The application menu. Every item has an id for tests and the palette. */
export function menuTemplate(
  platform: NodeJS.Platform,
  developer: boolean,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const view = (id: string, label: string, accelerator: string, command: DesktopCommand) => ({
    id,
    label,
    accelerator,
    click: () => actions.command(command),
  });
  const settings = view('settings', 'Settings…', 'CmdOrCtrl+,', { kind: 'open-view', view: 'settings' });
  const quit: MenuItemConstructorOptions = {
    id: 'quit',
    label: 'Quit Wishbench',
    accelerator: 'CmdOrCtrl+Q',
    click: () => actions.quit(),
  };
  const about: MenuItemConstructorOptions = {
    id: 'about',
    label: 'About Wishbench',
    click: () => actions.about(),
  };
  const mac = platform === 'darwin';
  return [
    ...(mac
      ? [
          {
            label: 'Wishbench',
            submenu: [about, { type: 'separator' }, settings, { type: 'separator' }, { role: 'hide' }, quit],
          } satisfies MenuItemConstructorOptions,
        ]
      : []),
    {
      label: '&File',
      submenu: [
        view('submit', 'Submit HDL file…', 'CmdOrCtrl+O', { kind: 'submit-file' }),
        { type: 'separator' },
        { id: 'browser', label: 'Open in browser', click: () => actions.openInBrowser() },
        ...(mac ? [] : [{ type: 'separator' } as const, settings, { type: 'separator' } as const, quit]),
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        view('bench', 'Bench', 'CmdOrCtrl+1', { kind: 'open-view', view: 'bench' }),
        view('jobs', 'Jobs', 'CmdOrCtrl+2', { kind: 'open-view', view: 'jobs' }),
        view('boards', 'Boards', 'CmdOrCtrl+3', { kind: 'open-view', view: 'boards' }),
        { type: 'separator' },
        view('palette', 'Command palette…', 'CmdOrCtrl+Shift+P', { kind: 'command-palette' }),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        ...(developer ? [{ role: 'reload' } as const, { role: 'toggleDevTools' } as const] : []),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        view('shortcuts', 'Keyboard shortcuts', 'F1', { kind: 'shortcuts' }),
        { id: 'logs', label: 'Show logs', click: () => actions.showLogs() },
        { id: 'report', label: 'Save system report…', click: () => actions.saveSystemReport() },
        { id: 'updates', label: 'Check for updates', click: () => actions.checkForUpdates() },
        ...(mac ? [] : [{ type: 'separator' } as const, about]),
      ],
    },
  ];
}

export function setupMenu(app: App, actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform, !app.isPackaged, actions)));
}
