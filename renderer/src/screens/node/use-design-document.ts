import { useRef, useState } from 'react';
import type { Client } from '../../../../server/contract/client/client.ts';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { inTurn } from '../../state/client/in-turn.ts';
import { useQuery } from '../../state/client/query.ts';

/** What a design has at the bench next to its sources, such as its panel. */
export interface DocumentKind<T> {
  name: string;
  /** The document of a design without one. */
  none: T;
  load(service: Client, design_id: string, signal: AbortSignal): Promise<T | undefined>;
  store(service: Client, design_id: string, document: T): Promise<unknown>;
}

interface DesignDocument<T> {
  /** Undefined until loaded. */
  document: T | undefined;
  /** Shows and stores a change. After a failed load it only shows it: the change would replace what is stored. */
  change(document: T): void;
}

/**
 * A document of a design: what is stored with it, and this window's changes, which show at once. Its requests go one at a
 * time, also when the page is left and returned to: otherwise the service could store an earlier change last, and an
 * answer from before a change could show after it.
 * @param mayStore the window may change what is stored
 */
export function useDesignDocument<T>(
  { name, none, load, store }: DocumentKind<T>,
  designId: string | null,
  mayStore = true,
): DesignDocument<T> {
  const client = useBench();
  const { data, error, put } = useQuery(
    designId === null ? undefined : [name, designId],
    (service, signal, [, id]): Promise<T> =>
      inTurn(client, `${name} ${id}`, async () => (await load(service, id, signal)) ?? none),
    { live: true },
  );
  const [own, setOwn] = useState(none);
  const newest = useRef(new Map<string, T>());
  const known = designId === null || data !== undefined || error !== undefined;
  return {
    document: known ? (data ?? own) : undefined,
    change(document) {
      setOwn(document);
      if (designId === null) return;
      if (data === undefined && error !== undefined) {
        if (mayStore) showRefusal(client, error);
        return;
      }
      put(document);
      if (!mayStore) return;
      newest.current.set(designId, document);
      inTurn(client, `${name} ${designId}`, async () => {
        // A later change sends its own.
        if (newest.current.get(designId) === document) await store(client.service, designId, document);
      }).catch((refusal) => showRefusal(client, refusal));
    },
  };
}
