import { useState } from 'react';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';

/** Runs one action at a time and shows its refusal. `act` resolves to whether it was done. */
export function useAct(): { busy: boolean; act(action: () => Promise<void>): Promise<boolean> } {
  const client = useBench();
  const [busy, setBusy] = useState(false);
  const act = async (action: () => Promise<void>) => {
    setBusy(true);
    try {
      await action();
      return true;
    } catch (error) {
      showRefusal(client, error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, act };
}
