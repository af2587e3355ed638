import type { Panel } from '../../../../../server/contract/designs/panel.ts';
import { type DocumentKind, useDesignDocument } from '../use-design-document.ts';

const PANEL: DocumentKind<Panel> = {
  name: 'panel',
  none: { ports: {} },
  load: (service, design_id, signal) => service.getDesignPanel({ design_id }, { signal }),
  store: (service, design_id, body) => service.putDesignPanel({ design_id, body }),
};

/** The panel of a design. */
export const usePanel = (designId: string | null) => useDesignDocument(PANEL, designId);
