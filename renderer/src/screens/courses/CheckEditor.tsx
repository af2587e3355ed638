import type { CheckStep } from '../../../../server/contract/courses/assignments.ts';
import type { Script } from '../../../../server/contract/jobs/scripts.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { IconButton } from '../../components/Button.tsx';
import { hexAddress } from '../../format/words.ts';
import { useBench } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';

const t = text.courses.check;

type Step = Script['steps'][number];

/** The name of a step that has no words of its own. */
function titleOf(step: Step): string {
  if (step.op === 'write') return text.job.write(step.data.length, hexAddress(step.address));
  if (step.op === 'read')
    return text.job.read(step.count ?? step.expect?.length ?? 1, hexAddress(step.address));
  if (step.op === 'wait') return t.wait(hexAddress(step.address));
  return step.op === 'repeat' ? t.repeat(step.times) : t.pause;
}

const namesIn = (steps: readonly Step[], key: 'saved' | 'save_as'): string[] =>
  [...JSON.stringify(steps).matchAll(new RegExp(`"${key}":"(\\w+)"`, 'g'))].map(([, name = '']) => name);

/**
 * A row of the check for each step of a script; a step that compares something gives a point. Comments do nothing. A
 * word is saved within its row only: from there to its last use is one row.
 */
export function rowsOf(steps: readonly Step[]): CheckStep[] {
  const rows: CheckStep[] = [];
  for (const step of steps) {
    if (step.op === 'comment') continue;
    const title = (step.says || titleOf(step)).slice(0, 100);
    const used = namesIn([step], 'saved');
    const from = rows.findIndex((row) => namesIn(row.steps, 'save_as').some((name) => used.includes(name)));
    const before = from === -1 ? [] : rows.splice(from);
    rows.push({
      title,
      points: step.op === 'write' || step.op === 'delay' ? 0 : 1,
      steps: [...before.flatMap((row) => row.steps), step],
    });
  }
  return rows;
}

/** The steps of a check: title, points, and whether students see it. */
export function CheckEditor({
  rows,
  designId,
  onChange,
}: {
  rows: readonly CheckStep[];
  /** The design whose stored script makes the rows. */
  designId: string | undefined;
  onChange(rows: CheckStep[]): void;
}) {
  const { service } = useBench();
  const load = async () => {
    if (designId !== undefined)
      onChange(rowsOf((await service.getDesignScript({ design_id: designId }))?.steps ?? []));
  };
  const change = (at: number, part: Partial<CheckStep>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  const sum = rows.reduce((points, row) => points + row.points, 0);
  return (
    <fieldset className="stack course-group">
      <legend>{t.title}</legend>
      <div className="row">
        <p className="muted">
          {rows.length === 0 ? t.none : text.courses.assignment.steps(rows.length, sum)}
        </p>
        <ActButton className="push" disabled={designId === undefined} title={t.loadHint} run={load}>
          {t.load}
        </ActButton>
      </div>
      <ol className="stack">
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own
          <li key={at} className="course-check-row">
            <input
              className="input"
              aria-label={t.titleOf(at + 1)}
              required
              maxLength={100}
              value={row.title}
              onChange={(event) => change(at, { title: event.target.value })}
            />
            <input
              className="input"
              type="number"
              min={0}
              max={1000}
              aria-label={t.pointsOf(at + 1)}
              value={row.points}
              onChange={(event) => change(at, { points: Math.trunc(Number(event.target.value)) })}
            />
            <label>
              <input
                type="checkbox"
                aria-label={t.hiddenOf(at + 1)}
                checked={row.hidden === true}
                onChange={(event) => change(at, { hidden: event.target.checked })}
              />{' '}
              {t.hidden}
            </label>
            <IconButton
              icon="trash"
              label={t.remove(at + 1)}
              onClick={() => onChange(rows.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ol>
    </fieldset>
  );
}
