import { useState } from 'react';
import type { AssignmentRequest, AssignmentView } from '../../../../server/contract/courses/assignments.ts';
import { instantAt, wallClock } from '../../../../server/contract/wall-clock.ts';
import { Button } from '../../components/Button.tsx';
import { SelectField, Switch, TextAreaField } from '../../components/Field.tsx';
import { Fields } from '../../components/Fields.tsx';
import { Form } from '../../components/Form.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';
import { CheckEditor } from './CheckEditor.tsx';
import type { CourseDialogProps } from './course-props.ts';

const t = text.courses.assignment;

/** Values of the template's select that name no design. */
const KEEP = 'keep';
const NO_TEMPLATE = 'none';

const INPUTS = {
  title: { maxLength: 100, required: true },
  deadline: { type: 'datetime-local' },
  attempts: { type: 'number', min: 1, max: 100 },
};
type Draft = Required<Omit<AssignmentRequest, 'template'>>;
const EMPTY: Draft = { title: '', text: '', deadline: null, attempts: null, published: true, check: [] };

/** Creates or changes an assignment. */
export function AssignmentEditor({
  course,
  reload,
  assignment,
  onClose,
}: CourseDialogProps & { assignment: AssignmentView | undefined }) {
  const { service } = useBench();
  const { course_id, time_zone } = course;
  const [form, setForm] = useState<Draft>(() => {
    const { title, text, deadline, attempts, published, check } = assignment ?? EMPTY;
    const shown = deadline && wallClock(time_zone, Date.parse(deadline));
    return { title, text, deadline: shown, attempts, published, check };
  });
  const put = (change: object) => setForm({ ...form, ...change });
  const [template, setTemplate] = useState(assignment ? KEEP : NO_TEMPLATE);
  const designs = useQuery(['designs'], (client, signal) => client.listDesigns({}, { signal }));
  const designId = template === KEEP || template === NO_TEMPLATE ? undefined : template;
  const save = async () => {
    const { title, deadline } = form;
    const body: AssignmentRequest = {
      ...form,
      title: title.trim(),
      deadline: deadline && new Date(instantAt(time_zone, deadline)).toISOString(),
      ...(template !== KEEP && { template: designId === undefined ? null : { design_id: designId } }),
    };
    if (assignment)
      await service.changeAssignment({ course_id, assignment_id: assignment.assignment_id, body });
    else await service.createAssignment({ course_id, body });
    reload();
    onClose();
  };
  return (
    <Form
      className="course-form"
      aria-label={assignment ? t.edit : t.create}
      run={save}
      action={text.save}
      disabled={form.title.trim() === ''}
      others={<Button onClick={onClose}>{text.cancel}</Button>}
    >
      <p className="muted">{t.zone(time_zone)}</p>
      <Fields
        inputs={INPUTS}
        words={t.fields}
        values={form}
        onChange={({ title = form.title, ...change }) => put({ title: title ?? '', ...change })}
      />
      <div className="tiles">
        <TextAreaField
          label={t.text}
          hint={t.textHint}
          className="mono"
          rows={12}
          maxLength={50_000}
          value={form.text}
          onChange={(event) => put({ text: event.target.value })}
        />
        <section aria-label={t.preview}>
          <p className="muted">{t.preview}</p>
          <Markdown text={form.text} />
        </section>
      </div>
      <div className="tiles">
        <SelectField
          label={t.template}
          hint={t.templateHint}
          value={template}
          options={[
            ...(assignment ? [{ value: KEEP, label: t.keep(assignment.template?.filename) }] : []),
            { value: NO_TEMPLATE, label: t.noTemplate },
            ...(designs.data ?? []).map(({ design_id: value, name: label }) => ({ value, label })),
          ]}
          onChange={(event) => setTemplate(event.target.value)}
        />
        <Switch
          label={t.published}
          hint={t.publishedHint}
          checked={form.published}
          onChange={(published) => put({ published })}
        />
      </div>
      <CheckEditor
        rows={form.check}
        designId={
          designId ?? designs.data?.find(({ name }) => name === assignment?.template?.filename)?.design_id
        }
        onChange={(check) => put({ check })}
      />
    </Form>
  );
}
