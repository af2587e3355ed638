import { useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { NodeView } from '../api/types.ts';
import { href } from '../app/routes.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { Button } from '../components/Button.tsx';
import { EmptyState } from '../components/Empty.tsx';
import { Segmented } from '../components/Field.tsx';
import { useFirstFocus } from '../components/use-first-focus.ts';
import { NUMBER_FORMATS } from '../format/words.ts';
import { showRefusal } from '../node/actions.ts';
import { useBench, usePreference } from '../state/context.tsx';
import { text } from '../text/text.ts';
import { parseCommand } from './command.ts';
import './registers.css';
import { TransactionTable } from './TransactionTable.tsx';
import { runTransaction, transactions } from './transactions.ts';
import { WatchTable } from './WatchTable.tsx';

const t = text.registers;
const DEFAULT_MOST_WORDS = 65_536;
const NONE: [] = [];

/** The registers of the design that runs on a node: like a debugger's watch window. */
export function RegistersPanel({ node }: { node: NodeView }) {
  const client = useBench();
  const id = node.fpga_id;
  const list = useStore(transactions, ({ byNode }) => byNode[id] ?? NONE);
  const numberFormat = usePreference('numberFormat');
  const [line, setLine] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const field = useRef<HTMLInputElement>(null);
  useFirstFocus(field);
  const ready = node.state === 'reserved' && !node.resetting;

  const execute = (command: string) => {
    const most = client.status.getState().status?.limits?.words_per_run ?? DEFAULT_MOST_WORDS;
    const parsed = parseCommand(command, most);
    if ('problem' in parsed) {
      setProblem(parsed.problem === 'count' ? t.problems.count(most) : t.problems[parsed.problem]);
      return;
    }
    setProblem(undefined);
    setLine('');
    runTransaction(client, id, parsed).catch((error) => showRefusal(client, error));
  };
  const last = list.at(-1);
  const repeat = () => {
    if (last && ready) runTransaction(client, id, last.request).catch((error) => showRefusal(client, error));
  };
  useShortcuts([
    {
      keys: 'mod+Enter',
      label: t.keyRepeat,
      group: text.shell.shortcutGroups.registers,
      run: repeat,
      always: true,
    },
  ]);

  if (!ready && list.length === 0)
    return (
      <EmptyState
        icon="plot"
        title={t.notReserved}
        action={<a href={href({ screen: 'node', node: id, tab: 'design', job: undefined })}>{t.toDesign}</a>}
      >
        {t.notReservedText}
      </EmptyState>
    );
  return (
    <div className="registers">
      <form
        className="registers-bar"
        onSubmit={(event) => {
          event.preventDefault();
          execute(line);
        }}
      >
        <input
          ref={field}
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
            if (event.key === 'Escape' && line !== '') {
              setLine('');
              event.stopPropagation();
            }
          }}
        />
        <Button kind="primary" type="submit" disabled={!ready || line.trim() === ''}>
          {line.includes('=') ? t.write : t.read}
        </Button>
        <Button icon="repeat" disabled={!ready || !last} onClick={repeat}>
          {t.repeat}
        </Button>
        <span className="push" />
        <Segmented
          label={text.format.label}
          value={numberFormat}
          onChange={(format) => client.preferences.setState({ numberFormat: format })}
          options={NUMBER_FORMATS.map((format) => ({ id: format, label: text.format[format] }))}
        />
        <p
          id="register-hint"
          className={problem ? 'field-problem' : 'field-hint'}
          role={problem ? 'alert' : undefined}
        >
          {problem ?? t.commandHint}
        </p>
      </form>
      <div className="registers-body">
        <WatchTable node={id} list={list} ready={ready} />
        <TransactionTable node={id} list={list} />
      </div>
    </div>
  );
}
