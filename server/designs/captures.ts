import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Clock } from '../clock.ts';
import { MAX_SAVED_CAPTURES, type SavedCapture } from '../contract/signals/saved-captures.ts';
import type { CaptureView } from '../contract/signals/signals.ts';
import { designsError } from '../errors/designs.ts';
import type { FolderFiles } from '../store/index.ts';
import { KeyedQueue } from '../store/keyed-queue.ts';
import type { Designs } from './designs.ts';

/** A capture with its samples; `words` words of 32 bits each, oldest first. */
interface Samples {
  view: CaptureView;
  data: Int32Array;
}

type DocumentStore = Pick<Designs, 'document' | 'keep'>;
type SampleFiles = Pick<FolderFiles, 'readCapture' | 'writeCapture' | 'removeCapture'>;

/** The largest capture: 65,536 samples of 256 bits. */
const MAX_BYTES = 65_536 * 32;

/** The captures that are kept with designs: the list is a document, the samples are a file each. */
export class DesignCaptures {
  readonly #designs: DocumentStore;
  readonly #files: SampleFiles;
  readonly #clock: Clock;
  /** Changes of each design's list: one at a time. */
  readonly #turns = new KeyedQueue();

  constructor(designs: DocumentStore, files: SampleFiles, clock: Clock) {
    this.#designs = designs;
    this.#files = files;
    this.#clock = clock;
  }

  /** Newest first. @throws design_not_found */
  async list(designId: string): Promise<SavedCapture[]> {
    return (await this.#designs.document(designId, 'captures'))?.captures ?? [];
  }

  /**
   * Keeps a capture under a name; one that is there already is renamed. Resolves when it is on disk.
   * @throws design_not_found, captures_full, store_unavailable, storage_low
   */
  save(designId: string, name: string, { view, data }: Samples): Promise<SavedCapture> {
    return this.#turns.run(designId, async () => {
      const kept = await this.list(designId);
      const others = kept.filter(({ capture }) => capture.capture_id !== view.capture_id);
      if (others.length >= MAX_SAVED_CAPTURES) throw designsError('captures_full');
      const saved = { name, saved_at: new Date(this.#clock.now()).toISOString(), capture: view };
      const packed = await promisify(gzip)(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      if (others.length === kept.length) await this.#files.writeCapture(designId, view.capture_id, packed);
      await this.#designs.keep(designId, 'captures', { captures: [saved, ...others] });
      return saved;
    });
  }

  /** @throws design_not_found, saved_capture_not_found */
  async samples(designId: string, captureId: string): Promise<Samples> {
    const saved = (await this.list(designId)).find(({ capture }) => capture.capture_id === captureId);
    const packed = saved && (await this.#files.readCapture(designId, captureId).catch(() => null));
    const bytes =
      packed && (await promisify(gunzip)(packed, { maxOutputLength: MAX_BYTES }).catch(() => null));
    // A file that was cut off on disk has no samples to show.
    if (!saved || bytes?.byteLength !== saved.capture.samples * saved.capture.words * 4)
      throw designsError('saved_capture_not_found');
    return { view: saved.capture, data: new Int32Array(new Uint8Array(bytes).buffer) };
  }

  /** @throws design_not_found, saved_capture_not_found, store_unavailable */
  remove(designId: string, captureId: string): Promise<void> {
    return this.#turns.run(designId, async () => {
      const kept = await this.list(designId);
      const captures = kept.filter(({ capture }) => capture.capture_id !== captureId);
      if (captures.length === kept.length) throw designsError('saved_capture_not_found');
      await this.#designs.keep(designId, 'captures', { captures });
      await this.#files.removeCapture(designId, captureId);
    });
  }
}
