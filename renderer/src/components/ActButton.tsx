import type { ComponentProps } from 'react';
import { useAct } from '../state/actions/use-act.ts';
import type { Question } from '../state/page/dialogs.ts';
import { Button } from './Button.tsx';

interface Props extends Omit<ComponentProps<typeof Button>, 'onClick' | 'busy'> {
  /** What the button does, see `useAct`. */
  run(): Promise<unknown>;
  onDone?: () => void;
  /** Is asked first. */
  question?: Omit<Question, 'run'>;
}

/** A button that runs one action at a time. */
export function ActButton({ run, onDone, question, disabled = false, ...button }: Props) {
  const { busy, act, ask } = useAct(onDone);
  return (
    <Button
      {...button}
      busy={busy}
      disabled={busy || disabled}
      onClick={() => (question ? ask(question, run) : void act(run))}
    />
  );
}
