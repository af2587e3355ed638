import { createStore } from 'zustand/vanilla';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { DesignFile } from '../files/design-file.ts';

/** A chosen or edited design of a node that is not submitted yet. */
export interface Draft {
  /** Name of the file, or of the folder or archive of a project. */
  name: string;
  /** One file, or those of a project by path. */
  files: readonly DesignFile[];
  options: SubmitOptions;
  /** Paths of the project's other files, which a build does not need. */
  aside?: readonly string[];
  /** Path of its one file in the desktop application, for watching and reading it again. */
  path?: string;
  /** The person has edited it: it differs from the file on disk or from the build. */
  edited?: boolean;
  /** Time of the last change, ms since 1970; `setDraft` sets it. */
  at?: number;
  /** Paths of files that the browser has no room for: a reload loses them. */
  unstored?: readonly string[];
}

/** Node → its draft. The browser stores it: see `storeDrafts`. */
export const drafts = createStore<Partial<Record<number, Draft>>>(() => ({}));

/** Node → its other open drafts. */
export const otherDrafts = createStore<Partial<Record<number, readonly Draft[]>>>(() => ({}));

/** Sets or removes the draft of a node. */
export function setDraft(id: number, draft: Draft | undefined): void {
  drafts.setState({ [id]: draft && { ...draft, at: Date.now() } });
}
