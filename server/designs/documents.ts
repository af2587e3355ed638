import type { Static, TSchema } from 'typebox';
import { type Check, checkOf, parseAs } from '../contract/check.ts';
import { Panel } from '../contract/designs/panel.ts';
import { MAX_MAP_BYTES, RegisterMap } from '../contract/designs/register-map.ts';
import { Script } from '../contract/jobs/scripts.ts';
import { SavedCaptures } from '../contract/signals/saved-captures.ts';
import { Waves } from '../contract/signals/waves.ts';
import type { FolderFiles } from '../store/index.ts';

/** The documents of a design: the schema, and the maximum bytes of the JSON text. */
const KINDS = {
  // An upload has 1 MiB at most; written out, `1e9` takes three times the room.
  script: { schema: Script, maxBytes: 4 << 20 },
  map: { schema: RegisterMap, maxBytes: MAX_MAP_BYTES },
  panel: { schema: Panel, maxBytes: 1 << 20 },
  waves: { schema: Waves, maxBytes: 4 << 20 },
  // 20 views of up to 256 signals with long names.
  captures: { schema: SavedCaptures, maxBytes: 16 << 20 },
} as const satisfies Record<string, { schema: TSchema; maxBytes: number }>;

export type DocumentKind = keyof typeof KINDS;
export type DocumentOf<K extends DocumentKind> = Static<(typeof KINDS)[K]['schema']>;

export const DOCUMENT_KINDS = Object.keys(KINDS) as DocumentKind[];

const CHECKS: { readonly [K in DocumentKind]: Check<DocumentOf<K>> } = {
  script: checkOf(KINDS.script.schema),
  map: checkOf(KINDS.map.schema),
  panel: checkOf(KINDS.panel.schema),
  waves: checkOf(KINDS.waves.schema),
  captures: checkOf(KINDS.captures.schema),
};

/** A document from its JSON text; null where it does not match its schema. */
export const parseDocument = <K extends DocumentKind>(kind: K, text: string): DocumentOf<K> | null =>
  parseAs<DocumentOf<K>>(text, CHECKS[kind]);

/** The documents of designs: each is written as a whole, and read only if it matches its schema. */
export class DesignDocuments {
  readonly #files: FolderFiles;
  readonly #onDamage: (name: string) => void;

  constructor(files: FolderFiles, onDamage: (name: string) => void) {
    this.#files = files;
    this.#onDamage = onDamage;
  }

  /** Null where there is no readable one. */
  async read<K extends DocumentKind>(id: string, kind: K): Promise<DocumentOf<K> | null> {
    const bytes = await this.#files.read(id, kind);
    if (bytes === null) return null;
    const document = parseDocument(kind, bytes.toString('utf8'));
    if (document === null) this.#onDamage(`designs/${id}/${kind}.json`);
    return document;
  }

  /**
   * Resolves when it is on disk.
   * @throws store_unavailable; RangeError for one above the maximum of its kind.
   */
  async write<K extends DocumentKind>(id: string, kind: K, document: DocumentOf<K>): Promise<void> {
    const text = `${JSON.stringify(document)}\n`;
    const { maxBytes } = KINDS[kind];
    if (Buffer.byteLength(text) > maxBytes)
      throw new RangeError(`The ${kind} of a design may have at most ${maxBytes} bytes.`);
    await this.#files.write(id, kind, text);
  }

  async remove(id: string, kind: DocumentKind): Promise<void> {
    await this.#files.remove(id, kind);
  }
}
