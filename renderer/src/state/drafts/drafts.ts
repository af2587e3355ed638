import { createStore } from 'zustand/vanilla';
import {
  isOfProject,
  MAX_PROJECT_FILES,
  projectPath,
  UNPACKED,
} from '../../../../server/contract/designs/project-files.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { formatBytes } from '../../format/size.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import type { DesignFile } from '../files/design-file.ts';
import type { UnpackedProject } from '../files/project-archive.ts';
import { rememberFile } from '../files/recent-files.ts';
import { navigate } from '../page/router.ts';
import { showToast } from '../page/toasts.ts';

/** A design that was chosen or edited for a node and not submitted yet. */
export interface Draft {
  /** What it is called: its file, or the folder or archive of a project. */
  name: string;
  /** One, or those of a project by path. */
  files: readonly DesignFile[];
  options: SubmitOptions;
  /** Paths of what came with a project and is no part of it. */
  aside?: readonly string[];
  /** Where the desktop application found its one file, so that it can be watched and read again. */
  path?: string;
  /** It was typed into here: what is on disk, or was built, is another version. */
  edited?: boolean;
}

/** One draft a node; they outlive a change of screen, not the page. */
export const drafts = createStore<Partial<Record<number, Draft>>>(() => ({}));

export const HDL_EXTENSIONS = ['.v', '.sv', '.vhd', '.vhdl', '.py'];
const AMARANTH = '.py';
/** Nothing larger is read into the page, whatever the service would take. */
const LARGEST = 64 << 20;

const endsIn = (name: string, extensions: readonly string[]): boolean =>
  extensions.some((extension) => name.toLowerCase().endsWith(extension));

/** Why designs in Amaranth cannot be built here; undefined while they can, or nobody has said. */
export const amaranthMissing = (client: BenchClient): string | undefined =>
  client.status
    .getState()
    .status?.languages?.find(({ language, available }) => language === 'amaranth' && !available)?.reason ??
  undefined;

/** What the service can build a design from. */
export const usableExtensions = (client: BenchClient): string[] =>
  amaranthMissing(client) === undefined
    ? HDL_EXTENSIONS
    : HDL_EXTENSIONS.filter((extension) => extension !== AMARANTH);

export function setDraft(id: number, draft: Draft | undefined): void {
  drafts.setState({ [id]: draft });
}

/** Makes a file the draft of a node and goes to where it is submitted from. */
export function chooseDesign(client: BenchClient, id: number, file: DesignFile, path?: string): void {
  setDraft(id, { name: file.name, files: [file], options: {}, ...(path !== undefined && { path }) });
  rememberFile(client.memory, file, path);
  navigate({ kind: 'node', node: id, tab: 'design', job: undefined });
}

/** The same for the files of a project. */
function chooseProject(
  id: number,
  name: string,
  files: readonly DesignFile[],
  aside: readonly string[],
): void {
  setDraft(id, { name, files, options: {}, aside });
  navigate({ kind: 'node', node: id, tab: 'design', job: undefined });
}

/** What was dropped or picked, with its path within a folder where there was one. */
export interface PickedFile {
  path: string;
  file: File;
}

/** Why something cannot be a design, and what to do. */
type Refusal = { text: string; remedy: string };

/**
 * Takes what was dropped or picked: one HDL file, an archive or several files of a project, of a size that the
 * service takes. What cannot be a design is refused in a sentence.
 */
export async function takeFiles(
  client: BenchClient,
  id: number,
  picked: readonly PickedFile[],
): Promise<void> {
  const [first] = picked;
  if (first === undefined) return;
  const take = picked.length > 1 || endsIn(first.file.name, ['.zip']) ? takeProject : takeFile;
  const refusal = await take(client, id, picked);
  if (refusal) showToast(client.toasts, { tone: 'bad', ...refusal });
}

const limitOf = (client: BenchClient): number =>
  client.status.getState().status?.limits?.upload_bytes ?? LARGEST;

const notHdl = (client: BenchClient, reason: string): Refusal => ({
  text: reason,
  remedy: text.node.drop.notHdlRemedy([...usableExtensions(client), '.zip'].join(' ')),
});

/** Of several files or one, that nothing can come of them for their size; null where something can. */
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
  chooseDesign(client, id, { name: file.name, contents }, path);
  return null;
}

/** An archive, or several files: of either what a project may need, for a repository or a folder of tools has much besides. */
async function takeProject(
  client: BenchClient,
  id: number,
  picked: readonly PickedFile[],
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
  // What is one file after all is called as that file is.
  const [only, ...others] = files;
  chooseProject(id, only && others.length === 0 ? only.name : name, files, aside);
  return null;
}

/** The folder that all of the files are in, else the first file's name. */
function projectName(picked: readonly PickedFile[]): string {
  const [folder, ...rest] = picked[0]?.path.split('/') ?? [];
  const shared = rest.length > 0 && picked.every(({ path }) => path.startsWith(`${folder}/`));
  return shared && folder !== undefined ? folder : text.node.drop.project(picked.length);
}

const byPath = (files: readonly DesignFile[]): DesignFile[] =>
  [...files].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Paths without the folders that hold everything, as the service has them: a project's files name each other from inside. */
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

/** The files of an archive, or why it is none. What unpacks it is loaded when it is first needed. */
async function unpacked(file: File): Promise<UnpackedProject | string> {
  const { unpackProject } = await import('../files/project-archive.ts');
  const project = unpackProject(new Uint8Array(await file.arrayBuffer()), LARGEST);
  if (typeof project === 'string') return project;
  return { ...project, files: withoutFolder(project.files) };
}

/** The native file dialog of the desktop application. */
export async function openDesktopFile(client: BenchClient, id: number): Promise<void> {
  const file = await client.desktop?.openHdlFile();
  if (file) chooseDesign(client, id, { name: file.name, contents: file.contents }, file.path);
}

/** Texts of what was encoded here: what is typed is not decoded again at every key. */
const texts = new WeakMap<Uint8Array, string>();

/** A text as it is sent: UTF-8. */
export function encodeSource(source: string): Uint8Array {
  const contents = new TextEncoder().encode(source);
  // Half a character is sent as U+FFFD, and a mark of the byte order is dropped: then it is another text.
  if (!source.startsWith('\ufeff') && !/\p{Surrogate}/u.test(source)) texts.set(contents, source);
  return contents;
}

/** The text of a source: UTF-8, and Latin-1 for what is not UTF-8. */
export function decodeSource(contents: Uint8Array): string {
  const known = texts.get(contents);
  if (known !== undefined) return known;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(contents);
  } catch {
    return new TextDecoder('latin1').decode(contents);
  }
}
