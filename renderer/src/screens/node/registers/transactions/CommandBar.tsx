import { useRef, useState } from 'react';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { showRefusal } from '../../../../state/actions/actions.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { runTransaction } from '../../../../state/registers/transactions.ts';
import { text } from '../../../../text/text.ts';
import type { RegisterMap } from '../map/register-map.ts';
import { keepView, storedView } from '../session-view.ts';
import { writeField } from '../watch/write-bits.ts';
import { parseCommand, type RegisterCommand } from './command.ts';
import './transactions.css';

const t = text.registers;
/** Maximum lines to bring back with the arrow keys. */
const MAX_LINES = 100;

interface Props {
  node: number;
  design: string;
  ready: boolean;
  /** Maximum words of a transaction. */
  most: number;
  map: RegisterMap | undefined;
  onRepeat: (() => void) | undefined;
}

/** The command line for reads and writes; arrow keys bring back typed lines. */
export function CommandBar({ node, design, ready, most, map, onRepeat }: Props) {
  const client = useBench();
  const [line, setLine] = useState('');
  const [fixed, setFixed] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const typed = useRef<readonly string[]>(storedView(client, node, design).commands);
  const back = useRef(0);

  const run = async (parsed: RegisterCommand) => {
    if (parsed.op !== 'field') {
      await runTransaction(client, node, fixed ? { ...parsed, fixed_address: true } : parsed);
      return;
    }
    await writeField(client, node, parsed.register, parsed.field, parsed.value);
  };
  const execute = () => {
    const parsed = parseCommand(line, most, map);
    if ('problem' in parsed) {
      setProblem(parsed.problem === 'count' ? t.problems.count(most) : t.problems[parsed.problem]);
      return;
    }
    typed.current = [...typed.current.filter((one) => one !== line), line].slice(-MAX_LINES);
    back.current = 0;
    keepView(client, node, design, { commands: typed.current });
    setProblem(undefined);
    setLine('');
    run(parsed).catch((error) => showRefusal(client, error));
  };
  const recall = (step: number) => {
    back.current = Math.min(Math.max(0, back.current + step), typed.current.length);
    setLine(back.current === 0 ? '' : (typed.current.at(-back.current) ?? ''));
    setProblem(undefined);
  };
  return (
    <form
      className="registers-entry"
      onSubmit={(event) => {
        event.preventDefault();
        execute();
      }}
    >
      <input
        className="input mono registers-command"
        data-register-command=""
        aria-label={t.command}
        aria-describedby="register-hint"
        aria-invalid={problem !== undefined || undefined}
        placeholder={t.placeholder}
        autoComplete="off"
        spellCheck={false}
        disabled={!ready}
        value={line}
        onChange={(event) => {
          setLine(event.target.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowUp') recall(1);
          else if (event.key === 'ArrowDown') recall(-1);
          // The first Escape clears the line, the second leaves it: keys are then shortcuts again.
          else if (event.key === 'Escape') {
            if (line === '') event.currentTarget.blur();
            else setLine('');
            event.stopPropagation();
          } else return;
          event.preventDefault();
        }}
      />
      <Button kind="primary" type="submit" disabled={!ready || line.trim() === ''}>
        {line.includes('=') ? t.write : t.read}
      </Button>
      <IconButton icon="repeat" label={t.repeat} disabled={!ready || !onRepeat} onClick={onRepeat} />
      <label className="check" title={t.fixedHint}>
        <input type="checkbox" checked={fixed} onChange={(event) => setFixed(event.target.checked)} />
        {t.fixed}
      </label>
      <p
        id="register-hint"
        className={`registers-hint ${problem ? 'field-problem registers-problem' : 'field-hint'}`}
        role={problem ? 'alert' : undefined}
      >
        {problem ?? t.commandHint}
      </p>
    </form>
  );
}
