import type { DesktopBridge, DesktopCommand, WatchedFile } from '../../preload/bridge.ts';

/** Functions of the bridge that the main process answers: channel name → the function's own type. */
export type Invocations = Pick<
  DesktopBridge,
  | 'operatorToken'
  | 'openHdlFile'
  | 'readRecentFile'
  | 'saveFile'
  | 'watchFile'
  | 'unwatchFile'
  | 'watchedFiles'
  | 'desktopSettings'
  | 'changeDesktopSettings'
  | 'showLogs'
  | 'systemReport'
  | 'openExternal'
>;

/** Messages that the main process pushes to the window. */
export interface Pushes {
  command: DesktopCommand;
  watchedFiles: WatchedFile[];
}

/** Channel names carry a prefix, so that nothing else in the process can meet them by chance. */
export const channel = (name: keyof Invocations | keyof Pushes | 'ready'): string => `wishbench:${name}`;
