import type { Waves } from '../../../../../server/contract/signals/waves.ts';
import { type DocumentKind, useDesignDocument } from '../use-design-document.ts';

const WAVES: DocumentKind<Waves> = {
  name: 'waves',
  none: { rows: [] },
  load: (service, design_id, signal) => service.getDesignWaves({ design_id }, { signal }),
  store: (service, design_id, body) => service.putDesignWaves({ design_id, body }),
};

/**
 * The waveform view of a design.
 * @param mayStore the window may change what is stored
 */
export const useWaves = (designId: string | null, mayStore: boolean) =>
  useDesignDocument(WAVES, designId, mayStore);
