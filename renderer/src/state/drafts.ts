import { createStore } from 'zustand/vanilla';
import type { SubmitOptions } from '../../../server/contract/jobs.ts';
import { formatBytes } from '../format/size.ts';
import { text } from '../text/text.ts';
import type { BenchClient } from './bench-client.ts';
import type { DesignFile } from './design-file.ts';
import { rememberFile } from './recent-files.ts';
import { navigate } from './router.ts';
import { showToast } from './toasts.ts';

/** A file that was chosen for a node and not submitted yet. */
export interface Draft {
  file: DesignFile;
  options: SubmitOptions;
  /** Where the desktop application found it, so that it can be watched and read again. */
  path?: string;
}

/** One draft a node; they outlive a change of screen, not the page. */
export const drafts = createStore<Partial<Record<number, Draft>>>(() => ({}));

export const HDL_EXTENSIONS = ['.v', '.sv', '.vhd', '.vhdl', '.py'];
/** Nothing larger is read into the page, whatever the service would take. */
const LARGEST = 64 << 20;

const isHdl = (name: string): boolean =>
  HDL_EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));

export function setDraft(id: number, draft: Draft | undefined): void {
  drafts.setState({ [id]: draft });
}

/** Makes a file the draft of a node and goes to where it is submitted from. */
export function chooseDesign(client: BenchClient, id: number, file: DesignFile, path?: string): void {
  setDraft(id, { file, options: {}, ...(path !== undefined && { path }) });
  rememberFile(client.memory, file, path);
  navigate({ kind: 'node', node: id, tab: 'design', job: undefined });
}

/** Takes what was dropped or picked: one HDL file, of a size that the service takes. */
export async function takeFiles(
  client: BenchClient,
  id: number,
  files: FileList | readonly File[],
): Promise<void> {
  const t = text.node.drop;
  const [file] = files;
  const limit = client.status.getState().status?.limits?.upload_bytes ?? LARGEST;
  const refuse = (reason: string, remedy: string) =>
    showToast(client.toasts, { tone: 'bad', text: reason, remedy });
  if (file === undefined) return;
  if (files.length > 1) refuse(t.several, t.severalRemedy);
  else if (!isHdl(file.name)) refuse(t.notHdl(file.name), t.notHdlRemedy(HDL_EXTENSIONS.join(' ')));
  else if (file.size === 0) refuse(t.empty(file.name), t.emptyRemedy);
  else if (file.size > limit)
    refuse(t.tooLarge(file.name, formatBytes(file.size)), t.tooLargeRemedy(formatBytes(limit)));
  else {
    const contents = new Uint8Array(await file.arrayBuffer());
    chooseDesign(client, id, { name: file.name, contents }, client.desktop?.pathForFile(file) || undefined);
  }
}

/** The native file dialog of the desktop application. */
export async function openDesktopFile(client: BenchClient, id: number): Promise<void> {
  const file = await client.desktop?.openHdlFile();
  if (file) chooseDesign(client, id, { name: file.name, contents: file.contents }, file.path);
}

/** The text of a source: UTF-8, and Latin-1 for what is not UTF-8. */
export function decodeSource(contents: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(contents);
  } catch {
    return new TextDecoder('latin1').decode(contents);
  }
}
