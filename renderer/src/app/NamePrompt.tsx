import { Suspense, useEffect, useState } from 'react';
import { lazyComponent } from '../components/lazy-component.tsx';
import { useBench } from '../state/client/context.tsx';

const NameDialog = lazyComponent(() => import('./NameDialog.tsx'));

/**
 * Asks for a name once, before this browser submits its first design. A viewer needs no name, and an empty name is an
 * answer.
 */
export function NamePrompt() {
  const client = useBench();
  const [answered, setAnswered] = useState<(() => void) | undefined>();
  useEffect(() => {
    client.askForName = async () => {
      const { name, nameAsked } = client.preferences.getState();
      const { signedIn } = client.identity.getState();
      const checked = client.status.getState().status?.enforcement !== false;
      if (name.trim() !== '' || nameAsked || signedIn || checked) return;
      await new Promise<void>((resolve) => setAnswered(() => resolve));
    };
    return () => {
      client.askForName = async () => {};
    };
  }, [client]);
  if (!answered) return null;
  const done = (name: string) => {
    client.preferences.setState({ name, nameAsked: true });
    setAnswered(undefined);
    answered();
  };
  return (
    <Suspense>
      <NameDialog anonymous={client.owner} onDone={done} />
    </Suspense>
  );
}
