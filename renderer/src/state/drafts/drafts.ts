import {
  isOfProject,
  MAX_PROJECT_FILES,
  projectPath,
  UNPACKED,
} from '../../../../server/contract/designs/project-files.ts';
import { formatBytes } from '../../format/size.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import type { DesignFile } from '../files/design-file.ts';
import type { UnpackedProject } from '../files/project-archive.ts';
import { rememberFile } from '../files/recent-files.ts';
import { navigate, navigateLater } from '../page/router.ts';
import { showToast } from '../page/toasts.ts';
import { addDraft } from './open-drafts.ts';

export { type Draft, drafts, setDraft } from './draft-store.ts';
export { decodeSource, encodeSource } from './source-text.ts';

export const HDL_EXTENSIONS = ['.v', '.sv', '.vhd', '.vhdl', '.py'];
const AMARANTH = '.py';
/** Maximum file size in bytes, whatever the service accepts. */
const LARGEST = 64 << 20;

const endsIn = (name: string, extensions: readonly string[]): boolean =>
  extensions.some((extension) => name.toLowerCase().endsWith(extension));

/** Why this bench cannot build Amaranth; undefined while it can, or while the status is unknown. */
export const amaranthMissing = (client: BenchClient): string | undefined =>
  client.status
    .getState()
    .status?.languages?.find(({ language, available }) => language === 'amaranth' && !available)?.reason ??
  undefined;

/** Extensions of the files that the service can build. */
export const usableExtensions = (client: BenchClient): string[] =>
  amaranthMissing(client) === undefined
    ? HDL_EXTENSIONS
    : HDL_EXTENSIONS.filter((extension) => extension !== AMARANTH);

/** Makes a file the draft of a node and opens its Design tab. @param go `navigateLater()` from before slow work */
export function chooseDesign(
  client: BenchClient,
  id: number,
  file: DesignFile,
  path?: string,
  go = navigate,
): void {
  addDraft(client, id, { name: file.name, files: [file], options: {}, ...(path !== undefined && { path }) });
  rememberFile(client.memory, file, path);
  go({ kind: 'node', node: id, tab: 'design', job: undefined });
}

/** Makes the files of a project the draft of a node. */
function chooseProject(
  client: BenchClient,
  id: number,
  name: string,
  files: readonly DesignFile[],
  aside: readonly string[],
  go: typeof navigate,
): void {
  addDraft(client, id, { name, files, options: {}, aside });
  go({ kind: 'node', node: id, tab: 'design', job: undefined });
}

/** A dropped or picked file, with its path within a folder if there is one. */
export interface PickedFile {
  path: string;
  file: File;
}

/** Why a file cannot be a design, and what to do. */
type Refusal = { text: string; remedy: string };

/**
 * Takes dropped or picked files: one HDL file, an archive, or the files of a project. Shows a sentence if they cannot
 * be a design.
 * @param go `navigateLater()` from where the person asked for it
 */
export async function takeFiles(
  client: BenchClient,
  id: number,
  picked: readonly PickedFile[],
  go = navigateLater(),
): Promise<void> {
  const [first] = picked;
  if (first === undefined) return;
  const take = picked.length > 1 || endsIn(first.file.name, ['.zip']) ? takeProject : takeFile;
  const refusal = await take(client, id, picked, go);
  if (refusal) showToast(client.toasts, { tone: 'bad', ...refusal });
}

const limitOf = (client: BenchClient): number =>
  client.status.getState().status?.limits?.upload_bytes ?? LARGEST;

const notHdl = (client: BenchClient, reason: string): Refusal => ({
  text: reason,
  remedy: text.node.drop.notHdlRemedy([...usableExtensions(client), '.zip'].join(' ')),
});

/** The refusal of empty and of too large files; null if the size is fine. */
function wrongSize(name: string, size: number, limit: number): Refusal | null {
  const t = text.node.drop;
  if (size === 0) return { text: t.empty(name), remedy: t.emptyRemedy };
  if (size <= limit) return null;
  return { text: t.tooLarge(name, formatBytes(size)), remedy: t.tooLargeRemedy(formatBytes(limit)) };
}

async function takeFile(
  client: BenchClient,
  id: number,
  [picked]: readonly PickedFile[],
  go: typeof navigate,
): Promise<Refusal | null> {
  if (!picked) return null;
  const { file } = picked;
  const t = text.node.drop;
  const noAmaranth = amaranthMissing(client);
  if (noAmaranth !== undefined && endsIn(file.name, [AMARANTH]))
    return { text: t.noAmaranth(file.name), remedy: noAmaranth };
  if (!endsIn(file.name, usableExtensions(client))) return notHdl(client, t.notHdl(file.name));
  const wrong = wrongSize(file.name, file.size, limitOf(client));
  if (wrong) return wrong;
  const contents = new Uint8Array(await file.arrayBuffer());
  const path = client.desktop?.pathForFile(file) || undefined;
  chooseDesign(client, id, { name: file.name, contents }, path, go);
  return null;
}

/** Takes an archive or several files, and keeps those that a project may need. */
async function takeProject(
  client: BenchClient,
  id: number,
  picked: readonly PickedFile[],
  go: typeof navigate,
): Promise<Refusal | null> {
  const t = text.node.drop;
  const [first] = picked;
  const archive = picked.length === 1 ? first?.file : undefined;
  const name = archive ? archive.name.replace(/\.zip$/i, '') : projectName(picked);
  const needed = archive ? picked : picked.filter(({ path }) => isOfProject(path));
  const tooMany = { text: t.tooMany(name), remedy: t.tooManyRemedy(MAX_PROJECT_FILES) };
  if (needed.length > MAX_PROJECT_FILES) return tooMany;
  const size = needed.reduce((sum, { file }) => sum + file.size, 0);
  const limit = UNPACKED * limitOf(client);
  if (size > (archive ? LARGEST : limit)) return wrongSize(name, size, archive ? LARGEST : limit);
  const project = archive
    ? await unpacked(archive)
    : {
        files: await read(needed),
        aside: picked.flatMap(({ path }) => (isOfProject(path) ? [] : [path])),
      };
  if (typeof project === 'string') return { text: t.noArchive(archive?.name ?? name), remedy: project };
  const { files, aside } = project;
  if (files.length > MAX_PROJECT_FILES) return tooMany;
  if (!files.some((file) => endsIn(file.name, usableExtensions(client))))
    return notHdl(client, t.noneHdl(name));
  const twice = files.find((file, at) => files.findIndex((other) => other.name === file.name) < at);
  if (twice) return { text: t.twice(twice.name), remedy: t.twiceRemedy };
  const wrong = wrongSize(
    name,
    files.reduce((sum, { contents }) => sum + contents.length, 0),
    limit,
  );
  if (wrong) return wrong;
  // A project of one file takes the name of that file.
  const [only, ...others] = files;
  chooseProject(client, id, only && others.length === 0 ? only.name : name, files, aside, go);
  return null;
}

/** The common folder of all files, else the first file's name. */
function projectName(picked: readonly PickedFile[]): string {
  const [folder, ...rest] = picked[0]?.path.split('/') ?? [];
  const shared = rest.length > 0 && picked.every(({ path }) => path.startsWith(`${folder}/`));
  return shared && folder !== undefined ? folder : text.node.drop.project(picked.length);
}

const byPath = (files: readonly DesignFile[]): DesignFile[] =>
  [...files].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Paths without the common folder, as in the service: files of a project refer to each other by these paths. */
function withoutFolder(files: readonly DesignFile[]): DesignFile[] {
  const folder = /^[^/]+\//.exec(files[0]?.name ?? '')?.[0];
  if (folder === undefined || !files.every(({ name }) => name.startsWith(folder))) return byPath(files);
  return withoutFolder(files.map(({ name, contents }) => ({ name: name.slice(folder.length), contents })));
}

async function read(picked: readonly PickedFile[]): Promise<DesignFile[]> {
  const files = picked.map(async ({ path, file }) => ({
    name: projectPath(path),
    contents: new Uint8Array(await file.arrayBuffer()),
  }));
  return withoutFolder(await Promise.all(files));
}

/** The files of an archive, or why it cannot be unpacked. The unpacker loads on first use. */
async function unpacked(file: File): Promise<UnpackedProject | string> {
  const { unpackProject } = await import('../files/project-archive.ts');
  const project = unpackProject(new Uint8Array(await file.arrayBuffer()), LARGEST);
  if (typeof project === 'string') return project;
  return { ...project, files: withoutFolder(project.files) };
}

/** Opens the native file dialog of the desktop application. */
export async function openDesktopFile(client: BenchClient, id: number): Promise<void> {
  const go = navigateLater();
  const file = await client.desktop?.openHdlFile();
  if (file) chooseDesign(client, id, { name: file.name, contents: file.contents }, file.path, go);
}
