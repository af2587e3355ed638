/**
 * What the desktop application adds to the GUI: only what a browser cannot do. The preload script exposes it
 * as `window.wishbench`; in a browser that property is absent and the GUI does without.
 */
export interface DesktopBridge {
  readonly platform: 'linux' | 'darwin' | 'win32';
  /** Version of the desktop application. */
  readonly version: string;

  /** Sent as `X-Operator-Token`: the application's own window is an operator. Kept in memory only. */
  operatorToken(): Promise<string>;

  /** Native file dialog for one HDL source; null when cancelled. */
  openHdlFile(): Promise<DesktopFile | null>;
  /** Reads a file that was dropped on the window or opened before; null when it is gone. */
  readRecentFile(path: string): Promise<DesktopFile | null>;
  /** Native save dialog; false when cancelled. */
  saveFile(suggestedName: string, contents: string | Uint8Array): Promise<boolean>;
  /** Absolute path of a dropped file, so that it can be watched. */
  pathForFile(file: File): string;

  /**
   * Watches an HDL source for a node, in place of the one that was watched for it. The application only reads it;
   * what becomes of a save is up to the window, which submits it as itself.
   */
  watchFile(fpgaId: number, path: string): Promise<void>;
  unwatchFile(fpgaId: number): Promise<void>;
  watchedFiles(): Promise<WatchedFile[]>;
  onWatchedFiles(listener: (files: WatchedFile[]) => void): () => void;
  /** Hands over every save of a watched file. While nobody listens the newest of each node is kept. */
  onSavedFile(listener: (saved: SavedFile) => void): () => void;

  desktopSettings(): Promise<DesktopSettings>;
  changeDesktopSettings(change: Partial<DesktopSettings>): Promise<DesktopSettings>;

  showLogs(): Promise<void>;
  /** Text of the system report (versions, boards, toolchains, no secrets); also saved when `save` is set. */
  systemReport(save: boolean): Promise<string>;
  openExternal(url: string): Promise<void>;

  /** What the menu, the tray, a notification or a deep link asks the GUI to do. */
  onCommand(listener: (command: DesktopCommand) => void): () => void;
  /** Tells the main process that the GUI listens now: commands sent earlier are delivered then. */
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
  /** Why saves cannot be seen or read at the moment, as a sentence; null while they can. */
  problem: string | null;
}

/** A watched file as it was saved. */
export interface SavedFile {
  fpga_id: number;
  file: DesktopFile;
}

export interface DesktopSettings {
  notifications: boolean;
  /** Closing the window keeps the bench serving in the tray, always or only while it is needed. */
  closeToTray: 'while-busy' | 'always';
  /** Where to ask for updates; the check is off while it is empty. */
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
