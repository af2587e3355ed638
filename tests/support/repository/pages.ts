// Reads the pages of the documentation and the parts of them that the checks need.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../../server/paths.ts';

/** A page of the documentation. */
export interface Page {
  /** Path from the root of the repository, with `/`. */
  file: string;
  text: string;
}

const FOLDERS = ['docs', 'main', 'preload', 'renderer/src', 'resources', 'server', 'tests'];

/** Files of the repository, as paths from its root. */
const files = [
  ...readdirSync(appRoot),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(path.join(appRoot, folder), { encoding: 'utf8', recursive: true }).map((file) =>
      path.posix.join(folder, file.replaceAll(path.sep, '/')),
    ),
  ),
];

/** Every page at the root and in docs/, and the README of every folder of the service. */
export const pages: Page[] = files
  .filter((file) => /^(?:[^/]+|docs\/.+|server\/.+\/README)\.md$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(appRoot, file), 'utf8').replaceAll('\r\n', '\n') }));

const FENCE = /^ *```(\w*)[^\n]*\n(.*?)^ *```/gms;

const withoutFences = (text: string): string => text.replace(FENCE, '');

/** The text between backticks outside blocks, with its lines joined. */
export const inlineCode = ({ text }: Page): string[] =>
  [...withoutFences(text).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));

/** Lines of the blocks of shell, with continued lines joined. */
export const shellLines = ({ text }: Page): string[] =>
  [...text.matchAll(FENCE)]
    .filter(([, language = '']) => /^(?:sh|bash|console)$/.test(language))
    .flatMap(([, , block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'));

/** The text in bold type, with its lines joined. */
export const boldText = ({ text }: Page): string[] =>
  [...withoutFences(text).matchAll(/\*\*(.+?)\*\*/gs)].map(([, bold = '']) => bold.replaceAll(/\s+/g, ' '));

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#+ +(.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .trim()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Relative links to missing files, and anchors without a heading. */
export function brokenLinks({ file, text }: Page): string[] {
  const prose = withoutFences(text).replaceAll(/`[^`]+`/g, 'code');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: *(\S+)/gm)].map(
    ([, a, b]) => a ?? b ?? '',
  );
  return targets.filter((target) => {
    if (/^(?:https?|mailto):/.test(target)) return false;
    const [to = '', anchor] = target.split('#');
    const linked = to === '' ? file : path.posix.join(path.posix.dirname(file), to);
    if (!existsSync(path.join(appRoot, linked)) && linked !== file) return true;
    if (anchor === undefined) return false;
    const there = linked === file ? text : readFileSync(path.join(appRoot, linked), 'utf8');
    return !anchorsOf(there).has(anchor);
  });
}

/** File names of sources in inline code that match no file. */
export const missingSources = ({ text }: Page): string[] =>
  [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)));
