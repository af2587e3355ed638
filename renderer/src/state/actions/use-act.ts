import { useState } from 'react';
import { useBench } from '../client/context.tsx';
import { showRefusal } from './actions.ts';

/**
 * Runs one action at a time. `act` resolves to whether it was done; a refusal is a toast.
 * @param onDone after an action that was done, such as reading the course again
 * @param inline keeps a refusal as `error` for the form instead
 */
export function useAct(onDone: () => void = () => {}, { inline = false } = {}) {
  const client = useBench();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const act = async (action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
      onDone();
      return true;
    } catch (reason) {
      if (inline) setError(reason);
      else showRefusal(client, reason);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, act };
}
