import type { DesktopBridge, DesktopCommand, SavedFile, WatchedFile } from './bridge.ts';

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
> & {
  /** Takes saves of watched files that no window has taken yet. */
  takeSavedFiles(): Promise<SavedFile[]>;
};

/** Messages that the main process pushes to the window. */
export interface Pushes {
  command: DesktopCommand;
  watchedFiles: WatchedFile[];
  /** There are saves to take. They are not pushed, because a closed page would lose them. */
  filesSaved: null;
}

/** Channel names have a prefix to avoid collisions. */
export const channel = (name: keyof Invocations | keyof Pushes | 'ready'): string => `wishbench:${name}`;
