import { useState } from 'react';
import type { AssignmentView, HandIn } from '../../../../server/contract/courses/assignments.ts';
import type { CourseView } from '../../../../server/contract/courses/courses.ts';
import { Button } from '../../components/Button.tsx';
import { saveFile } from '../../components/clipboard.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState, Pending } from '../../components/Empty.tsx';
import { SelectField } from '../../components/Field.tsx';
import { Icon } from '../../components/Icon.tsx';
import { SortHead, type Sorting } from '../../components/SortHead.tsx';
import { formatInstant } from '../../format/time.ts';
import { useAct } from '../../state/actions/use-act.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { useAssignments, useHandIns } from '../../state/courses/courses.ts';
import { showToast } from '../../state/page/toasts.ts';
import { text } from '../../text/text.ts';
import type { CourseProps } from './course-props.ts';
import { GradeBadge, GradeSteps } from './GradeSteps.tsx';
import { type ResultColumn, resultRows, sortRows } from './result-rows.ts';

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
  const client = useBench();
  const { service } = client;
  const { course_id, members } = course;
  const { assignment_id, check } = assignment;
  const query = useHandIns(course_id, assignment_id, true);
  const { data: handIns, reload } = query;
  const { busy, act } = useAct(reload);
  const [sorting, setSorting] = useState<Sorting<ResultColumn>>({ by: 'name', descending: false });
  const [open, setOpen] = useState<string>();
  if (!handIns) return <Pending query={query} />;
  const rows = sortRows(resultRows(members, handIns), sorting.by, sorting.descending);
  const shown = handIns.find(({ hand_in_id: id }) => id === open);
  const gradeAll = () =>
    act(async () => {
      const { queued } = await service.gradeHandIns({ course_id, assignment_id, body: {} });
      showToast(client.toasts, { tone: 'good', text: t.queued(queued) });
    });
  const save = (format: 'csv' | 'xml') =>
    act(async () =>
      saveFile(
        `${course_id}-results.${format}`,
        await service.exportResults({ course_id, assignment_id, format }),
        format === 'csv' ? 'text/csv' : 'application/xml',
      ),
    );
  const head = (column: ResultColumn) => (
    <SortHead
      column={column}
      label={t.columns[column]}
      sorting={sorting}
      onSort={setSorting}
      {...(column !== 'name' && { className: 'num', descendsFirst: true })}
    />
  );
  return (
    <>
      <div className="row">
        <p className="muted">{t.count(rows.filter(({ handIn }) => handIn).length, rows.length)}</p>
        <span className="row push">
          <Button icon="repeat" disabled={busy || handIns.length === 0} onClick={() => void gradeAll()}>
            {t.gradeAll}
          </Button>
          <Button icon="download" disabled={busy} onClick={() => void save('csv')}>
            {t.csv}
          </Button>
          <Button icon="download" disabled={busy} onClick={() => void save('xml')}>
            {t.junit}
          </Button>
        </span>
      </div>
      <div className="scroll-x">
        <table className="figures figures-dense course-results" aria-label={text.courses.tabs.results}>
          <thead>
            <tr>
              {head('name')}
              {head('points')}
              {check.map(({ title, points, hidden }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: steps have no name of their own
                <th key={index} scope="col" className="num" title={title}>
                  {title} {hidden && <Icon name="eye" size={12} />} <span className="muted">/{points}</span>
                </th>
              ))}
              {head('luts')}
              {head('fmax')}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ username, name, handIn }) => (
              <tr key={username}>
                <th scope="row">
                  {handIn ? (
                    <button type="button" className="course-open" onClick={() => setOpen(handIn.hand_in_id)}>
                      {name}
                    </button>
                  ) : (
                    name
                  )}
                </th>
                <td className="num">{handIn ? <GradeBadge grade={handIn.grade} /> : '–'}</td>
                {check.map((_, index) => {
                  const step = handIn?.grade.steps[index];
                  return (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={index} className={`num ${step ? (step.ok ? 'text-good' : 'text-bad') : ''}`}>
                      {step ? `${step.ok ? '✓' : '✗'} ${step.points}` : ''}
                    </td>
                  );
                })}
                <td className="num">{handIn?.grade.luts ?? ''}</td>
                <td className="num">{handIn?.grade.fmax?.toFixed(1) ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
