import type { Plugin } from 'vite';

export function packageFolder(root: string, id: string): string | null;
export function bundledPackages(root: string): {
  plugin(bundle: string): Plugin;
  found(): Record<string, string[]>;
};
