import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MatchedDesign } from '../../../../server/contract/designs/uploads.ts';

/** A design of the corpus and what it must be matched as. */
export interface CorpusEntry
  extends Pick<
    MatchedDesign,
    'module' | 'handshake' | 'addressing' | 'dataWidth' | 'resetActiveLow' | 'roles'
  > {
  /** Its name describes it; a project is a folder, with `.zip` after its name. */
  file: string;
}

/** Folder of the designs. */
export const CORPUS_FOLDER = path.join(import.meta.dirname, 'designs');

/**
 * Designs in the styles of public ones, written for this: each convention of the bus and of its ports, and constructs of Verilog and
 * SystemVerilog that are in general use.
 */
export const loadCorpus = (): CorpusEntry[] =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'index.json'), 'utf8'));
