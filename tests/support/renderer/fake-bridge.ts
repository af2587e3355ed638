import type {
  DesktopBridge,
  DesktopCommand,
  DesktopSettings,
  SavedFile,
  WatchedFile,
} from '../../../preload/bridge.ts';

/** The desktop application as a window sees it: watches files on request, and "saves" when a test calls it. */
export class FakeBridge implements DesktopBridge {
  readonly platform = 'linux';
  readonly version = '0.1.0';
  readonly userName: string = '';
  settings: DesktopSettings = {
    notifications: true,
    closeToTray: 'while-busy',
    updateFeed: '',
    theme: 'system',
  };
  readonly watched = new Map<number, string>();
  #problem: string | null = null;
  readonly #watchers = new Set<(files: WatchedFile[]) => void>();
  readonly #savers = new Set<(saved: SavedFile) => void>();
  readonly #commands = new Set<(command: DesktopCommand) => void>();

  /** A watched file was saved with this text. */
  save(id: number, contents: string): void {
    const path = this.watched.get(id);
    if (path === undefined) throw new Error(`Nothing is watched for node ${id}.`);
    const name = path.replace(/^.*\//, '');
    for (const listener of this.#savers)
      listener({ fpga_id: id, file: { path, name, contents: new TextEncoder().encode(contents) } });
  }

  /** Saves become invisible; null: visible again. */
  setProblem(problem: string | null): void {
    this.#problem = problem;
    this.#announce();
  }

  command(command: DesktopCommand): void {
    for (const listener of this.#commands) listener(command);
  }

  watchFile = async (id: number, path: string) => {
    this.watched.set(id, path);
    this.#announce();
  };
  unwatchFile = async (id: number) => {
    this.watched.delete(id);
    this.#announce();
  };
  watchedFiles = async () => this.#files();
  onWatchedFiles = (listener: (files: WatchedFile[]) => void) => {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  };
  onSavedFile = (listener: (saved: SavedFile) => void) => {
    this.#savers.add(listener);
    return () => this.#savers.delete(listener);
  };
  #announce(): void {
    for (const listener of this.#watchers) listener(this.#files());
  }

  #files(): WatchedFile[] {
    return [...this.watched].map(([fpga_id, path]) => ({ fpga_id, path, problem: this.#problem }));
  }

  operatorToken = async () => 'operator';
  openHdlFile = async () => null;
  readRecentFile = async (path: string) => ({
    path,
    name: path.replace(/^.*\//, ''),
    contents: new TextEncoder().encode('module first; endmodule'),
  });
  saveFile = async () => true;
  pathForFile = (file: File) => `/designs/${file.name}`;
  desktopSettings = async () => this.settings;
  changeDesktopSettings = async (change: Partial<DesktopSettings>) => {
    this.settings = { ...this.settings, ...change };
    return this.settings;
  };
  showLogs = async () => {};
  systemReport = async () => '';
  openExternal = async () => {};
  onCommand = (listener: (command: DesktopCommand) => void) => {
    this.#commands.add(listener);
    return () => this.#commands.delete(listener);
  };
  ready(): void {}
}
