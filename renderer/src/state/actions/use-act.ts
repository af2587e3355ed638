import { type FormEvent, useState } from 'react';
import { useBench } from '../client/context.tsx';
import { askFirst, type Question } from '../page/dialogs.ts';
import { showToast } from '../page/toasts.ts';
import { showRefusal } from './actions.ts';

/**
 * Runs one action at a time. `act` resolves to whether it was done; a refusal is a toast, and so is a text that the
 * action resolves to. `ask` acts after a confirmation, and `submit` makes the action that of a form.
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
      const result = await action();
      if (typeof result === 'string') showToast(client.toasts, { tone: 'good', text: result });
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
  const ask = (question: Omit<Question, 'run'>, action: () => Promise<unknown>) =>
    askFirst(client.questions, { ...question, run: () => void act(action) });
  const submit = (action: () => Promise<unknown>) => (event: FormEvent) => {
    event.preventDefault();
    void act(action);
  };
  return { busy, error, act, ask, submit };
}
