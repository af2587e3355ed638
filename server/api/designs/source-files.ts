import { roleOf } from '../../contract/designs/project-files.ts';
import type { SourceFile } from '../../registermap/propose/propose.ts';
import type { SourceLanguage } from '../../registermap/propose/source-text.ts';
import { isProjectName, unpackProject } from '../../toolchain/intake/project.ts';
import { decodeSource } from '../../toolchain/intake/source.ts';
import { languageOfName } from '../../toolchain/languages/language.ts';

function languageOf(path: string): SourceLanguage {
  switch (languageOfName(path)) {
    case 'vhdl':
      return 'vhdl';
    case 'amaranth':
      return 'python';
    default:
      return 'verilog';
  }
}

/** The text of a source; empty where its bytes are not text. */
function textOf(bytes: Uint8Array, path: string): string {
  try {
    return decodeSource(bytes, path, []);
  } catch {
    return '';
  }
}

/** The code files of a design: its only file, or those of its archive. */
export async function sourceFiles(filename: string, source: Uint8Array): Promise<SourceFile[]> {
  const files = isProjectName(filename)
    ? await unpackProject(source)
    : [{ path: filename, contents: source }];
  return files
    .filter(({ path }) => files.length === 1 || ['source', 'header'].includes(roleOf(path) ?? ''))
    .map(({ path, contents }) => ({ path, text: textOf(contents, path), language: languageOf(path) }));
}
