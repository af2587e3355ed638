import { useRef, useState } from 'react';
import type { Panel } from '../../../../../server/contract/designs/panel.ts';
import { showRefusal } from '../../../state/actions/actions.ts';
import { useBench } from '../../../state/client/context.tsx';
import { useQuery } from '../../../state/client/query.ts';

const NO_PANEL: Panel = { ports: {} };

interface DesignPanel {
  /** Undefined until loaded: a change before that would overwrite what is stored. */
  panel: Panel | undefined;
  change(panel: Panel): void;
}

/** The panel of a design: the one stored with it, and this window's changes. */
export function usePanel(designId: string | null): DesignPanel {
  const client = useBench();
  const { data, error, put } = useQuery(
    designId === null ? undefined : ['panel', designId],
    async (service, signal, [, design_id]): Promise<Panel> =>
      (await service.getDesignPanel({ design_id }, { signal })) ?? NO_PANEL,
    { live: true },
  );
  const [own, setOwn] = useState<Panel>(NO_PANEL);
  // One request at a time: the service could otherwise store an earlier change last.
  const storing = useRef<Promise<unknown>>(Promise.resolve());
  const last = useRef<Panel>(NO_PANEL);
  const known = designId === null || data !== undefined || error !== undefined;
  return {
    panel: known ? (data ?? own) : undefined,
    change(panel) {
      setOwn(panel);
      if (designId === null) return;
      put(panel);
      last.current = panel;
      storing.current = storing.current.then(async () => {
        // Only the newest; a later change sends its own.
        if (last.current !== panel) return;
        await client.service
          .putDesignPanel({ design_id: designId, body: panel })
          .catch((error) => showRefusal(client, error));
      });
    },
  };
}
