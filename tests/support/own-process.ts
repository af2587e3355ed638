import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../server/paths.ts';

/**
 * What a process has only one of: modules in place of others, its clock, its environment, its memory as it is measured,
 * the document of a browser. The words `own process` in a comment say the same where none of these does.
 */
const ONE_OF_A_KIND =
  /\bvi\.(?:mock|doMock|hoisted|stubGlobal|stubEnv|spyOn|useFakeTimers|setSystemTime)\(|\bmemoryUsage\(|@vitest-environment|\bprocess\.env(?:\.\w+|\['\w+'\]) = |\bprocess\.(?:chdir|umask|on|once)\(|\bglobalThis\.\w+ = |\bown process\b/;

/** Whether a test file with this text must not share its process with others. */
export const needsOwnProcess = (text: string): boolean => ONE_OF_A_KIND.test(text);

/** Test files, with slashes, from the root of the repository, whose text says that they need a process of their own. */
export function filesWithOwnProcess(): string[] {
  return readdirSync(path.join(appRoot, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((file) => `tests/${file.split(path.sep).join('/')}`)
    .filter((file) => /\.test\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    .filter((file) => needsOwnProcess(readFileSync(path.join(appRoot, file), 'utf8')));
}
