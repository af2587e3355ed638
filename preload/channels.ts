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
  /** Saves of watched files that no window has taken yet; they are its own from then on. */
  takeSavedFiles(): Promise<SavedFile[]>;
};

/** Messages that the main process pushes to the window. */
export interface Pushes {
  command: DesktopCommand;
  watchedFiles: WatchedFile[];
  /** There are saves to take. They are not pushed: what a page that is gone does not take must not be lost. */
  filesSaved: null;
}

/** Channel names carry a prefix, so that nothing else in the process can meet them by chance. */
export const channel = (name: keyof Invocations | keyof Pushes | 'ready'): string => `wishbench:${name}`;
