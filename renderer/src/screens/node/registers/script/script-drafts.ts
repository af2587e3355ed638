import { createStore } from 'zustand/vanilla';
import type { ScriptReport } from '../../../../../../server/contract/jobs/scripts.ts';
import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { readStored, writeStored } from '../../../../state/page/preferences.ts';

/** A script that is being written for a design. */
interface ScriptDraft {
  lines: readonly string[];
  /** How it went last, and the lines that it was then. */
  report?: { report: ScriptReport; lines: readonly string[] };
}

const KEY = 'wishbench.script-drafts';
const MOST = 20;

/** Drafts by design. They outlive the view, and the lines also the page. */
export const drafts = createStore<Readonly<Record<string, ScriptDraft>>>(() => ({}));

const stored = (client: BenchClient): Record<string, unknown> => {
  const value = readStored(client.memory, KEY);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

/** The draft that this browser kept of a design. */
export function restoreDraft(client: BenchClient, design: string): void {
  if (drafts.getState()[design]) return;
  const lines = stored(client)[design];
  if (Array.isArray(lines) && lines.every((line) => typeof line === 'string'))
    drafts.setState({ [design]: { lines } });
}

export function putDraft(client: BenchClient, design: string, draft: ScriptDraft): void {
  drafts.setState({ [design]: draft });
  const { [design]: _, ...others } = stored(client);
  const entries = [...Object.entries(others), [design, draft.lines] as const].slice(-MOST);
  writeStored(client.memory, KEY, Object.fromEntries(entries));
}
