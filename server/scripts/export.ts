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
 * A script as a program that does the same from outside the bench, and ends with 1 where a step failed.
 * @param file name of the design that it programs where it is given none
 */
export const exportScript = (script: Script, format: ScriptExport, file: string): string =>
  EXPORTS[format].write(script, file);

/** How the file of such a program ends, without the dot. */
export const extensionOf = (format: ScriptExport): string => EXPORTS[format].extension;
