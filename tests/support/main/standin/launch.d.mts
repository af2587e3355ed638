import type { ChildProcess } from 'node:child_process';
import type { Page } from 'playwright-core';

export interface LaunchedApp {
  kind: 'electron' | 'stand-in';
  userData: string;
  process: ChildProcess;
  /** Resolves with the exit code. */
  exit: Promise<number | null>;
  log: string[];
  firstWindow(): Promise<Page>;
  // biome-ignore lint/suspicious/noExplicitAny: what it gets is Electron's module, which tests reach into freely.
  evaluate<T, A = undefined>(work: (electron: any, arg: A) => T | Promise<T>, arg?: A): Promise<T>;
  close(): Promise<number | null>;
}

export function electronRuntime(): string | null;
export function launchApp(options: {
  appDir: string;
  args?: string[];
  env?: Record<string, string>;
  userData?: string;
}): Promise<LaunchedApp>;
