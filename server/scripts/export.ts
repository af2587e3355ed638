import type { Script, ScriptExport } from '../contract/jobs/scripts.ts';
import { curlOf } from './export-curl.ts';
import { pythonOf } from './export-python.ts';
import { typescriptOf } from './export-typescript.ts';

const EXPORTS: Readonly<
  Record<ScriptExport, { write: (script: Script, file: string) => string; extension: string }>
> = {
  curl: { write: curlOf, extension: 'sh' },
  py: { write: pythonOf, extension: 'py' },
  ts: { write: typescriptOf, extension: 'ts' },
};

/**
 * Writes a script as a program that runs outside the bench and exits with 1 where a step failed.
 * @param file the design that it programs by default
 */
export const exportScript = (script: Script, format: ScriptExport, file: string): string =>
  EXPORTS[format].write(script, file);

/** The file extension of such a program, without the dot. */
export const extensionOf = (format: ScriptExport): string => EXPORTS[format].extension;
