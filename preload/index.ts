// The preload script: exposes the desktop bridge to the page as `window.wishbench`.

import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';
import type { DesktopBridge } from './bridge.ts';
import { channel, type Invocations, type Pushes } from './channels.ts';
import { SavedFiles } from './saved-files.ts';

const invoke =
  <K extends keyof Invocations>(name: K) =>
  (...args: Parameters<Invocations[K]>): ReturnType<Invocations[K]> =>
    ipcRenderer.invoke(channel(name), ...args) as ReturnType<Invocations[K]>;

const subscribe =
  <K extends keyof Pushes>(name: K) =>
  (listener: (payload: Pushes[K]) => void): (() => void) => {
    const wrapped = (_event: IpcRendererEvent, payload: Pushes[K]) => listener(payload);
    ipcRenderer.on(channel(name), wrapped);
    return () => {
      ipcRenderer.off(channel(name), wrapped);
    };
  };

const savedFiles = new SavedFiles(invoke('takeSavedFiles'));
subscribe('filesSaved')(() => void savedFiles.fetch());

/** The value of an argument that the application gave to this window. */
const argument = (name: string): string =>
  process.argv.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';

const bridge: DesktopBridge = {
  platform: process.platform as DesktopBridge['platform'],
  version: argument('wishbench-version'),
  userName: decodeURIComponent(argument('wishbench-user')),
  operatorToken: invoke('operatorToken'),
  openHdlFile: invoke('openHdlFile'),
  readRecentFile: invoke('readRecentFile'),
  saveFile: invoke('saveFile'),
  pathForFile: (file) => webUtils.getPathForFile(file),
  watchFile: invoke('watchFile'),
  unwatchFile: invoke('unwatchFile'),
  watchedFiles: invoke('watchedFiles'),
  onWatchedFiles: subscribe('watchedFiles'),
  onSavedFile: (listener) => savedFiles.subscribe(listener),
  desktopSettings: invoke('desktopSettings'),
  changeDesktopSettings: invoke('changeDesktopSettings'),
  showLogs: invoke('showLogs'),
  systemReport: invoke('systemReport'),
  openExternal: invoke('openExternal'),
  onCommand: subscribe('command'),
  ready: () => ipcRenderer.send(channel('ready')),
};

contextBridge.exposeInMainWorld('wishbench', bridge);
