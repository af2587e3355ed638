import type { Script, ScriptExport } from '../contract/jobs/scripts.ts';
import { curlOf } from './export-curl.ts';
import { pythonOf } from './export-python.ts';
import { typescriptOf } from './export-typescript.ts';

const DEFAULT_URL = 'http://127.0.0.1:8000';

const EXPORTS: Readonly<
  Record<ScriptExport, { write: (script: Script, file: string, url: string) => string; extension: string }>
> = {
  curl: { write: curlOf, extension: 'sh' },
  py: { write: pythonOf, extension: 'py' },
  ts: { write: typescriptOf, extension: 'ts' },
};

/**
 * Writes a script as a program that runs outside the bench and exits with 1 where a step failed.
 * @param file the design that it programs by default
 * @param url the bench that it calls by default, without a slash at the end
 */
export const exportScript = (script: Script, format: ScriptExport, file: string, url = DEFAULT_URL): string =>
  EXPORTS[format].write(script, file, url);

/** The file extension of such a program, without the dot. */
export const extensionOf = (format: ScriptExport): string => EXPORTS[format].extension;
