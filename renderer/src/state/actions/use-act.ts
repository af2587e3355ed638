import { type FormEvent, useState } from 'react';
import { useBench } from '../client/context.tsx';
import { showRefusal } from './actions.ts';

/**
 * Runs one action at a time. `act` resolves to whether it was done; a refusal is a toast. `submit` makes the action that
 * of a form.
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
  const submit = (action: () => Promise<unknown>) => (event: FormEvent) => {
    event.preventDefault();
    void act(action);
  };
  return { busy, error, act, submit };
}
