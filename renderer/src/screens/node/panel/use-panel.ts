import { useRef, useState } from 'react';
import type { Panel } from '../../../../../server/contract/designs/panel.ts';
import { showRefusal } from '../../../state/actions/actions.ts';
import { useBench } from '../../../state/client/context.tsx';
import { useQuery } from '../../../state/client/query.ts';

const NO_PANEL: Panel = { ports: {} };

/** The panel of a design: the one stored with it, and this window's changes. */
export function usePanel(designId: string | null): { panel: Panel; change(panel: Panel): void } {
  const client = useBench();
  const { data, put } = useQuery(
    designId === null ? undefined : ['panel', designId],
    async (service, signal, [, design_id]): Promise<Panel> =>
      (await service.getDesignPanel({ design_id }, { signal })) ?? NO_PANEL,
    { live: true },
  );
  const [own, setOwn] = useState<Panel>(NO_PANEL);
  // One request at a time: the service could otherwise store an earlier change last.
  const storing = useRef<Promise<unknown>>(Promise.resolve());
  const last = useRef<Panel>(NO_PANEL);
  return {
    panel: data ?? own,
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
