import { type KeyboardEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { READ_PROPOSALS } from '../../../../../../server/contract/jobs/read-proposals.ts';
import type { StepResult } from '../../../../../../server/contract/jobs/scripts.ts';
import { IconButton } from '../../../../components/Button.tsx';
import { Icon } from '../../../../components/Icon.tsx';
import { formatWord, type NumberFormat } from '../../../../format/words.ts';
import { text } from '../../../../text/text.ts';
import { choiceOf, type ReadChoice } from './read-choices.ts';

const t = text.registers.script;

interface Props {
  lines: readonly string[];
  /** Line → its result; absent without a step, or after an edit. */
  results: ReadonlyMap<number, StepResult>;
  problem: { line: number; says: string } | undefined;
  /** What the reads of a recorded session may expect. */
  choices: readonly ReadChoice[];
  format: NumberFormat;
  onChange(lines: readonly string[]): void;
}

/** The read words that differ from the expected ones. */
function outcome({ ok, error, got, word, failures, times }: StepResult, format: NumberFormat): string {
  if (ok === null) return t.skipped;
  if (ok) return times > 1 ? t.times(times) : '';
  const often = times > 1 ? ` ${t.failures(failures, times)}` : '';
  const found = word === null ? undefined : got?.[word];
  if (found !== undefined) return t.got(formatWord(found, format), word ?? 0) + often;
  return (error?.message ?? '') + often;
}

/** What the session shows about the word of a read, or about the one that changed most. */
function seenText({ words }: ReadChoice, format: NumberFormat): string {
  const [word] = words.toSorted((a, b) => b.max - b.min - (a.max - a.min));
  if (!word) return '';
  return t.seen(word.reads, formatWord(word.min, format), formatWord(word.max, format));
}

interface ChoiceProps {
  label: string;
  choice: ReadChoice;
  line: string;
  format: NumberFormat;
  onChange(line: string): void;
}

/** What a recorded read expects: its value, a range, its stable bits, or nothing. */
function ChoiceField({ label, choice, line, format, onChange }: ChoiceProps) {
  const { lines, proposed } = choice;
  // Two proposals may be the same line: the first one stands for both.
  const kinds = READ_PROPOSALS.filter(
    (kind, at) => READ_PROPOSALS.findIndex((one) => lines[one] === lines[kind]) === at,
  );
  const isMixed = !Object.values(lines).includes(proposed);
  return (
    <select
      className="input script-choice"
      aria-label={label}
      title={seenText(choice, format)}
      value={line}
      onChange={(event) => onChange(event.target.value)}
    >
      {isMixed && <option value={proposed}>{t.asProposed}</option>}
      {kinds.map((kind) => (
        <option key={kind} value={lines[kind]}>
          {t.proposals[kind]}
        </option>
      ))}
    </select>
  );
}

/** The steps as editable lines: Enter adds a line, Alt with an arrow moves one. */
export function ScriptLines({ lines, results, problem, choices, format, onChange }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const focus = (line: number) => list.current?.querySelectorAll('input')[line]?.focus();
  /** Render within the key press: the next key must reach the newly focused line. */
  const change = (to: readonly string[], line: number) => {
    flushSync(() => onChange(to));
    focus(line);
  };
  const insert = (line: number, added = '') => change(lines.toSpliced(line, 0, added), line);
  const remove = (line: number) => change(lines.toSpliced(line, 1), Math.max(0, line - 1));
  const move = (line: number, by: -1 | 1) => {
    const to = line + by;
    const moved = lines[line];
    if (to < 0 || to >= lines.length || moved === undefined) return;
    change(lines.toSpliced(line, 1).toSpliced(to, 0, moved), to);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>, line: number) => {
    const up = event.key === 'ArrowUp';
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) insert(line + 1);
    else if (event.key === 'Backspace' && lines[line] === '') remove(line);
    else if (up || event.key === 'ArrowDown') {
      if (event.altKey) move(line, up ? -1 : 1);
      else focus(Math.min(lines.length - 1, Math.max(0, line + (up ? -1 : 1))));
    } else if (event.key === 'Escape') event.currentTarget.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const paste = (pasted: string, line: number) => {
    onChange(lines.toSpliced(line, 1, ...pasted.split(/\r?\n/).map((one) => one.trim())));
  };
  let depth = 0;
  return (
    <ol ref={list} className="script-lines" aria-label={t.steps}>
      {lines.map((line, index) => {
        if (/^\s*end\s*$/i.test(line)) depth = Math.max(0, depth - 1);
        const indent = Math.min(2, depth);
        if (/^\s*repeat\b/i.test(line)) depth += 1;
        const result = results.get(index);
        const choice = choiceOf(choices, line);
        const bad = problem?.line === index;
        const state = result?.ok === true ? 'ok' : result?.ok === false ? 'bad' : 'none';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is where it stands
          <li key={index} className={`script-line script-${state} script-depth-${indent}`}>
            <span className="script-mark">
              {state !== 'none' && (
                <>
                  <Icon name={state === 'ok' ? 'complete' : 'error'} size={14} />
                  <span className="sr-only">{state === 'ok' ? t.passed : t.failed}</span>
                </>
              )}
            </span>
            <input
              className="input mono"
              aria-label={t.step(index + 1)}
              aria-invalid={bad || undefined}
              aria-describedby={bad ? 'script-problem' : undefined}
              spellCheck={false}
              autoComplete="off"
              value={line}
              placeholder={t.placeholder}
              onChange={(event) => onChange(lines.with(index, event.target.value))}
              onKeyDown={(event) => onKeyDown(event, index)}
              onPaste={(event) => {
                const pasted = event.clipboardData.getData('text/plain');
                if (!pasted.includes('\n')) return;
                event.preventDefault();
                paste(pasted, index);
              }}
            />
            {choice && (
              <ChoiceField
                label={t.expects(index + 1)}
                choice={choice}
                line={line}
                format={format}
                onChange={(to) => onChange(lines.with(index, to))}
              />
            )}
            <IconButton
              icon="up"
              label={t.up(index + 1)}
              disabled={index === 0}
              onClick={() => move(index, -1)}
            />
            <IconButton
              icon="down"
              label={t.down(index + 1)}
              disabled={index === lines.length - 1}
              onClick={() => move(index, 1)}
            />
            <IconButton icon="trash" label={t.remove(index + 1)} onClick={() => remove(index)} />
            {bad && (
              <p id="script-problem" className="field-problem" role="alert">
                {problem.says}
              </p>
            )}
            {result && result.ok !== true && <p className="script-outcome">{outcome(result, format)}</p>}
          </li>
        );
      })}
    </ol>
  );
}
