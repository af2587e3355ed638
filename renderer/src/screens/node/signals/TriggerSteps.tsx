import { Button, IconButton } from '../../../components/Button.tsx';
import { SelectField, TextField } from '../../../components/Field.tsx';
import { text } from '../../../text/text.ts';
import {
  DIRECTIONS,
  EMPTY_STEP,
  MAX_STEPS,
  STEP_KINDS,
  type StepForm,
  type StepProblems,
} from './trigger-form.ts';

const t = text.signals;

const STEP_OPTIONS = STEP_KINDS.map((value) => ({ value, label: t.stepKinds[value] }));
const DIRECTION_OPTIONS = DIRECTIONS.map((value) => ({ value, label: t.directions[value] }));

interface Props {
  steps: readonly StepForm[];
  problems: readonly StepProblems[];
  /** The id of the list of signals. */
  list: string;
  onChange(steps: readonly StepForm[]): void;
}

/** The steps of a trigger: each occurs after the one before. */
export function TriggerSteps({ steps, problems, list, onChange }: Props) {
  return (
    <fieldset className="trigger-steps">
      <legend className="sr-only">{t.steps}</legend>
      <ol>
        {steps.map((step, at) => {
          const set = (change: Partial<StepForm>) => onChange(steps.with(at, { ...step, ...change }));
          const typed = (field: Exclude<keyof StepForm, 'kind' | 'direction'>) => ({
            value: step[field],
            // Empty fields show no problem.
            problem: step[field] === '' ? undefined : problems[at]?.[field],
            onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
          });
          const hasValue = step.kind === 'value' || step.kind === 'range';
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity but their place
            <li key={at} aria-label={t.stepTitle(at + 1)}>
              <strong aria-hidden="true">{at + 1}</strong>
              {step.kind !== 'access' && (
                <TextField label={t.triggerSignal} className="mono" list={list} {...typed('signal')} />
              )}
              <SelectField
                label={t.stepKind}
                options={STEP_OPTIONS}
                value={step.kind}
                onChange={(event) => {
                  const kind = STEP_KINDS.find((one) => one === event.target.value);
                  if (kind) set({ kind });
                }}
              />
              {hasValue && (
                <TextField
                  label={step.kind === 'range' ? t.rangeMin : t.triggerValue}
                  className="mono capture-number"
                  {...typed('value')}
                />
              )}
              {step.kind === 'range' && (
                <TextField label={t.rangeMax} className="mono capture-number" {...typed('max')} />
              )}
              {step.kind === 'access' && (
                <>
                  <TextField
                    label={t.address}
                    className="mono capture-number"
                    placeholder={t.anyAddress}
                    {...typed('address')}
                  />
                  <SelectField
                    label={t.direction}
                    options={DIRECTION_OPTIONS}
                    value={step.direction}
                    onChange={(event) => {
                      const direction = DIRECTIONS.find((one) => one === event.target.value);
                      if (direction) set({ direction });
                    }}
                  />
                </>
              )}
              <TextField label={t.count} className="capture-number" inputMode="numeric" {...typed('count')} />
              {at > 0 && (
                <TextField
                  label={t.within}
                  className="capture-number"
                  inputMode="numeric"
                  placeholder={t.withinAny}
                  unit={t.everyUnit(step.within)}
                  {...typed('within')}
                />
              )}
              {steps.length > 1 && (
                <IconButton
                  icon="trash"
                  label={t.removeStep(at + 1)}
                  onClick={() => onChange(steps.toSpliced(at, 1))}
                />
              )}
            </li>
          );
        })}
      </ol>
      {steps.length < MAX_STEPS && (
        <Button kind="quiet" icon="plus" onClick={() => onChange([...steps, EMPTY_STEP])}>
          {t.addStep}
        </Button>
      )}
    </fieldset>
  );
}
