import { Suspense, useEffect, useState } from 'react';
import { lazyComponent } from '../components/lazy-component.tsx';
import { takeName } from '../state/actions/take-name.ts';
import { useBench } from '../state/client/context.tsx';

const NameDialog = lazyComponent(() => import('./NameDialog.tsx'));

/**
 * Asks for a name once: before the person submits a design of their own, requests control or waits for a node. A viewer
 * and the examples need no name, and an empty name is an answer.
 */
export function NamePrompt() {
  const client = useBench();
  const [answered, setAnswered] = useState<(() => void) | undefined>();
  useEffect(() => {
    client.askForName = async () => {
      const { nameAsked } = client.preferences.getState();
      const checked = client.status.getState().status?.enforcement !== false;
      if (client.named || nameAsked || checked) return;
      await new Promise<void>((resolve) => setAnswered(() => resolve));
    };
    return () => {
      client.askForName = async () => {};
    };
  }, [client]);
  if (!answered) return null;
  const done = (name: string) => {
    setAnswered(undefined);
    void takeName(client, name).then(answered);
  };
  return (
    <Suspense>
      <NameDialog anonymous={client.owner} onDone={done} />
    </Suspense>
  );
}
