import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../server/paths.ts';

/**
 * What a process has only one of: modules in place of others, its clock, its environment, its memory as it is measured.
 * The words `own process` in a comment say the same where none of these does.
 */
const ONE_OF_A_KIND =
  /\bvi\.(?:mock|doMock|hoisted|stubGlobal|stubEnv|spyOn|useFakeTimers|setSystemTime)\(|\bmemoryUsage\(|\bprocess\.env(?:\.\w+|\['\w+'\]) = |\bprocess\.(?:chdir|umask|on|once)\(|\bglobalThis\.\w+ = |\bown process\b/;

/** The document of a browser: a process with one is no place for files that want none. */
const DOCUMENT = /@vitest-environment happy-dom\b/;

/** Where a test file runs: beside others, beside others that have a document as well, or by itself. */
export type Company = 'shared' | 'pages' | 'alone';

/** With whom a test file with this text may share its process. */
export const companyOf = (text: string): Company =>
  ONE_OF_A_KIND.test(text) ? 'alone' : DOCUMENT.test(text) ? 'pages' : 'shared';

/** Test files, with slashes, from the root of the repository, that do not run beside just any other. */
export function filesInOtherCompany(): Record<Exclude<Company, 'shared'>, string[]> {
  const files = readdirSync(path.join(appRoot, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((file) => `tests/${file.split(path.sep).join('/')}`)
    .filter((file) => /\.test\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    .map((file) => ({ file, company: companyOf(readFileSync(path.join(appRoot, file), 'utf8')) }));
  const of = (wanted: Company) => files.filter(({ company }) => company === wanted).map(({ file }) => file);
  return { pages: of('pages'), alone: of('alone') };
}
