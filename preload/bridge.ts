/**
 * The desktop application's additions to the GUI: only what a browser can't do. The preload script exposes it as
 * `window.wishbench`; in a browser that property is absent and the GUI works without it.
 */
export interface DesktopBridge {
  readonly platform: 'linux' | 'darwin' | 'win32';
  /** Version of the desktop application. */
  readonly version: string;
  /** Name of the system's user; empty if the system has none. */
  readonly userName: string;

  /** Sent as `X-Operator-Token`: the application's own window is an operator. In memory only. */
  operatorToken(): Promise<string>;

  /** Native file dialog for one HDL source; null when cancelled. */
  openHdlFile(): Promise<DesktopFile | null>;
  /** Reads a file that was dropped on the window or opened earlier; null when it is gone. */
  readRecentFile(path: string): Promise<DesktopFile | null>;
  /** Native save dialog; false when cancelled. */
  saveFile(suggestedName: string, contents: string | Uint8Array): Promise<boolean>;
  /** Absolute path of a dropped file, so that it can be watched. */
  pathForFile(file: File): string;

  /**
   * Watches an HDL source for a node, instead of an earlier one. The application only reads it; the window submits a
   * save under its own rights.
   */
  watchFile(fpgaId: number, path: string): Promise<void>;
  unwatchFile(fpgaId: number): Promise<void>;
  watchedFiles(): Promise<WatchedFile[]>;
  onWatchedFiles(listener: (files: WatchedFile[]) => void): () => void;
  /** Passes on every save of a watched file. Without a listener the newest of each node waits. */
  onSavedFile(listener: (saved: SavedFile) => void): () => void;

  desktopSettings(): Promise<DesktopSettings>;
  changeDesktopSettings(change: Partial<DesktopSettings>): Promise<DesktopSettings>;

  showLogs(): Promise<void>;
  /** Text of the system report (versions, boards, toolchains, no secrets); also saved when `save` is set. */
  systemReport(save: boolean): Promise<string>;
  openExternal(url: string): Promise<void>;

  /** A command of the menu, the tray, a notification or a deep link to the GUI. */
  onCommand(listener: (command: DesktopCommand) => void): () => void;
  /** Tells the main process that the GUI listens: earlier commands are then delivered. */
  ready(): void;
}

export interface DesktopFile {
  path: string;
  name: string;
  contents: Uint8Array;
}

export interface WatchedFile {
  fpga_id: number;
  path: string;
  /** Why saves can't be noticed or read at the moment, as a sentence; null while they can. */
  problem: string | null;
}

/** A saved version of a watched file. */
export interface SavedFile {
  fpga_id: number;
  file: DesktopFile;
}

export interface DesktopSettings {
  notifications: boolean;
  /** When closing the window keeps the bench serving in the tray: always, or only while it is needed. */
  closeToTray: 'while-busy' | 'always';
  /** URL of the update feed; no checks while it is empty. */
  updateFeed: string;
  theme: 'system' | 'light' | 'dark';
}

export type DesktopCommand =
  | { kind: 'open-node'; fpga_id: number }
  | { kind: 'open-job'; job_id: string }
  | { kind: 'open-view'; view: 'bench' | 'jobs' | 'boards' | 'settings' }
  | { kind: 'submit-file' }
  | { kind: 'command-palette' }
  | { kind: 'shortcuts' };

declare global {
  interface Window {
    wishbench?: DesktopBridge;
  }
}
