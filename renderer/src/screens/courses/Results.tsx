import { type ReactNode, useState } from 'react';
import type { AssignmentView, Grade, HandIn } from '../../../../server/contract/courses/assignments.ts';
import type { CourseView } from '../../../../server/contract/courses/courses.ts';
import { type Result, resultsOf } from '../../../../server/contract/courses/results.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Button } from '../../components/Button.tsx';
import { saveFile } from '../../components/clipboard.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState, Pending } from '../../components/Empty.tsx';
import { SelectField } from '../../components/Field.tsx';
import { Icon } from '../../components/Icon.tsx';
import { type Column, Table } from '../../components/Table.tsx';
import { formatInstant } from '../../format/time.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { useAssignments, useHandIns } from '../../state/courses/courses.ts';
import { text } from '../../text/text.ts';
import type { CourseProps } from './course-props.ts';
import { GradeBadge, GradeSteps } from './GradeSteps.tsx';

const t = text.courses.results;

/** The results of an assignment: points of each student and step. */
export function Results({ course }: CourseProps) {
  const query = useAssignments(course.course_id);
  const { data: list } = query;
  const [chosen, setChosen] = useState<string>();
  if (!list) return <Pending query={query} />;
  const shown = list.find(({ assignment_id }) => assignment_id === chosen) ?? list[0];
  if (!shown) return <EmptyState icon="report" title={text.courses.assignment.none} />;
  return (
    <>
      <SelectField
        label={t.assignment}
        className="course-select"
        value={shown.assignment_id}
        options={list.map(({ assignment_id: value, title: label }) => ({ value, label }))}
        onChange={(event) => setChosen(event.target.value)}
      />
      <ResultTable key={shown.assignment_id} course={course} assignment={shown} />
    </>
  );
}

function ResultTable({ course, assignment }: { course: CourseView; assignment: AssignmentView }) {
  const { service } = useBench();
  const { course_id, members } = course;
  const { assignment_id, check } = assignment;
  const query = useHandIns(course_id, assignment_id, true);
  const { data: handIns, reload } = query;
  const [open, setOpen] = useState<string>();
  if (!handIns) return <Pending query={query} />;
  const rows = resultsOf(members, handIns);
  const shown = handIns.find(({ hand_in_id: id }) => id === open);
  const gradeAll = async () =>
    t.queued((await service.gradeHandIns({ course_id, assignment_id, body: {} })).queued);
  const save = async (format: 'csv' | 'xml') =>
    saveFile(
      `${course_id}-results.${format}`,
      await service.exportResults({ course_id, assignment_id, format }),
      format === 'csv' ? 'text/csv' : 'application/xml',
    );
  const figure = (name: 'points' | 'luts' | 'fmax', cell: (grade?: Grade) => ReactNode): Column<Result> => ({
    head: t.columns[name],
    num: true,
    cell: ({ handIn }) => cell(handIn?.grade),
    value: ({ handIn }) => (handIn?.grade.state === 'graded' ? handIn.grade[name] : null),
  });
  const columns: Column<Result>[] = [
    {
      head: t.columns.name,
      cell: ({ name, handIn }) =>
        handIn ? (
          <button type="button" className="link-button" onClick={() => setOpen(handIn.hand_in_id)}>
            {name}
          </button>
        ) : (
          name
        ),
      value: ({ name }) => name,
    },
    figure('points', (grade) => (grade ? <GradeBadge grade={grade} /> : '–')),
    ...check.map(
      ({ title, points, hidden }, at): Column<Result> => ({
        head: (
          <span title={title}>
            {title} {hidden && <Icon name="eye" size={12} />} <span className="muted">/{points}</span>
          </span>
        ),
        num: true,
        cell: ({ handIn }) => {
          const step = handIn?.grade.steps[at];
          if (!step) return null;
          const { ok } = step;
          return <span className={ok ? 'text-good' : 'text-bad'}>{`${ok ? '✓' : '✗'} ${step.points}`}</span>;
        },
      }),
    ),
    figure('luts', (grade) => grade?.luts),
    figure('fmax', (grade) => grade?.fmax?.toFixed(1)),
  ];
  return (
    <>
      <div className="row">
        <p className="muted">{t.count(rows.filter(({ handIn }) => handIn).length, rows.length)}</p>
        <span className="row push">
          <ActButton icon="repeat" disabled={handIns.length === 0} run={gradeAll} onDone={reload}>
            {t.gradeAll}
          </ActButton>
          <ActButton icon="download" run={() => save('csv')}>
            {t.csv}
          </ActButton>
          <ActButton icon="download" run={() => save('xml')}>
            {t.junit}
          </ActButton>
        </span>
      </div>
      <Table
        label={text.courses.tabs.results}
        className="figures-dense course-results"
        columns={columns}
        rows={rows}
        keyOf={({ username }) => username}
      />
      {shown && (
        <HandInDialog
          address={{ course_id, assignment_id }}
          handIn={shown}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** A hand-in with every step and its source. */
function HandInDialog({
  address,
  handIn,
  onClose,
}: {
  address: { course_id: string; assignment_id: string };
  handIn: HandIn;
  onClose(): void;
}) {
  const { hand_in_id, filename, name, attempt, at, grade } = handIn;
  const source = useQuery(['source', hand_in_id], (service, signal) =>
    service.getHandInSource({ ...address, hand_in_id }, { signal }),
  );
  const { data } = source;
  // A project is an archive: it is saved, not shown.
  const shown = filename.endsWith('.zip') ? t.archive : data && new TextDecoder().decode(data);
  return (
    <Dialog
      title={`${name} · ${filename}`}
      size="large"
      onClose={onClose}
      actions={
        <Button
          icon="download"
          disabled={!data}
          onClick={() => data && void saveFile(filename, data, 'text/plain')}
        >
          {t.saveSource}
        </Button>
      }
    >
      <div className="stack">
        <p className="muted">{t.attempt(attempt, formatInstant(Date.parse(at)))}</p>
        <GradeSteps grade={grade} />
        {shown === undefined ? (
          <Pending query={source} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
          <pre className="course-source" tabIndex={0}>
            {shown}
          </pre>
        )}
      </div>
    </Dialog>
  );
}
