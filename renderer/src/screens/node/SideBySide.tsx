import './side-by-side.css';
import { type ReactNode, useState } from 'react';
import {
  type ComparedFigure,
  compareReports,
  DIGITS,
} from '../../../../server/contract/client/compare-reports.ts';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { EmptyState, ErrorState, Loading } from '../../components/Empty.tsx';
import { SelectField } from '../../components/Field.tsx';
import { formatClock } from '../../format/time.ts';
import type { Look } from '../../state/page/routes.ts';
import { useSharedView } from '../../state/page/share.ts';
import { text } from '../../text/text.ts';
import { nameOf } from './BuildBefore.tsx';
import { Difference } from './Difference.tsx';
import { isTooSlow, useReport } from './use-build-details.ts';

const t = text.node.sideBySide;

/** Builds with a report, newest first. */
const reported = (jobs: readonly Job[]): Job[] =>
  jobs.filter((job) => job.type === 'build_and_program' && (job.status === 'complete' || isTooSlow(job)));

interface Row {
  key: string;
  name: string;
  a: string;
  b: string;
  difference: ReactNode;
  differs: boolean;
}

function figureRow(figure: ComparedFigure): Row {
  const { group, name, unit, before, now, difference } = figure;
  const shown = (value: number | null) =>
    value === null ? t.none : `${value.toFixed(DIGITS[unit])}${unit && ` ${unit}`}`;
  return {
    key: `${group} ${name}`,
    // The group says already that it is the design's.
    name: nameOf(group === 'design' ? { ...figure, group: 'resource' } : figure),
    a: shown(before),
    b: shown(now),
    difference: <Difference figure={figure} />,
    differs: difference !== 0,
  };
}

/** Differences of two builds besides their figures. */
function factRows([jobA, a]: [Job, BuildReport], [jobB, b]: [Job, BuildReport]): Row[] {
  const optionsOf = ({ submit }: Job): string =>
    Object.entries(submit?.options ?? {})
      .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
      .join(' ') || t.none;
  const facts: [keyof typeof t.facts, string, string][] = [
    ['file', jobA.submit?.filename ?? '', jobB.submit?.filename ?? ''],
    ['owner', jobA.owner, jobB.owner],
    ['options', optionsOf(jobA), optionsOf(jobB)],
    ['board', a.board, b.board],
    ['part', a.part, b.part],
    ['build', a.build_id.slice(0, 16), b.build_id.slice(0, 16)],
    ['tools', Object.values(a.versions).join(', '), Object.values(b.versions).join(', ')],
  ];
  return facts.map(([key, first, second]) => ({
    key,
    name: t.facts[key],
    a: first,
    b: second,
    difference: first === second ? t.same : t.marked,
    differs: first !== second,
  }));
}

function Rows({ title, rows, numbers }: { title: string; rows: readonly Row[]; numbers: boolean }) {
  if (rows.length === 0) return null;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={4} className="side-group">
          {title}
        </th>
      </tr>
      {rows.map(({ key, name, a, b, difference, differs }) => (
        <tr key={key} className={differs && !numbers ? 'side-differs' : undefined}>
          <th scope="row">{name}</th>
          <td className={numbers ? 'num' : 'side-text'}>{a}</td>
          <td className={numbers ? 'num' : 'side-text'}>{b}</td>
          <td className="num">
            {!numbers && differs && <span aria-hidden="true">≠ </span>}
            {difference}
          </td>
        </tr>
      ))}
    </tbody>
  );
}

interface Choice {
  label: string;
  job: Job;
  report: BuildReport | undefined;
  onChoose(jobId: string): void;
}

/** The head of a column: the build that it shows. */
function ChoiceHead({ choice, builds }: { choice: Choice; builds: readonly Job[] }) {
  return (
    <th scope="col" className="side-choice">
      <SelectField
        label={choice.label}
        options={builds.map((job) => ({
          value: job.job_id,
          label: t.build(
            `${job.created_at.slice(0, 10)} ${formatClock(Date.parse(job.created_at)).slice(0, 8)}`,
            job.submit?.filename ?? '',
            job.job_id.slice(0, 8),
          ),
        }))}
        value={choice.job.job_id}
        onChange={(event) => choice.onChoose(event.target.value)}
      />
    </th>
  );
}

function Table({ before, now, builds }: { before: Choice; now: Choice; builds: readonly Job[] }) {
  const reports = before.report && now.report && { before: before.report, now: now.report };
  const figures = reports ? compareReports(reports.now, reports.before) : [];
  return (
    <table className="figures figures-dense side-by-side" aria-label={t.title}>
      <thead>
        <tr>
          <th scope="col">{t.figure}</th>
          <ChoiceHead choice={before} builds={builds} />
          <ChoiceHead choice={now} builds={builds} />
          <th scope="col" className="num">
            {t.difference}
          </th>
        </tr>
      </thead>
      {(['timing', 'resource', 'design', 'stage'] as const).map((group) => (
        <Rows
          key={group}
          title={t.groups[group]}
          rows={figures.filter((figure) => figure.group === group).map(figureRow)}
          numbers
        />
      ))}
      {reports && (
        <Rows
          title={t.groups.build}
          rows={factRows([before.job, reports.before], [now.job, reports.now])}
          numbers={false}
        />
      )}
    </table>
  );
}

/** Two builds of a node's history, figure by figure, with marked differences. */
export function SideBySide({ jobs, look = {} }: { jobs: readonly Job[]; look: Look | undefined }) {
  const builds = reported(jobs);
  const [chosen, setChosen] = useState({ now: look['now'], before: look['before'] });
  const now = builds.find(({ job_id }) => job_id === chosen.now) ?? builds[0];
  const before =
    builds.find(({ job_id }) => job_id === chosen.before) ??
    // The previous build of the same design, else the previous build.
    builds.find((one) => one !== now && one.design_id === now?.design_id) ??
    builds.find((one) => one !== now);
  useSharedView(() => ({ look: { now: now?.job_id, before: before?.job_id } }));
  const nowReport = useReport(now);
  const beforeReport = useReport(before);
  if (!now || !before) return <EmptyState icon="compare" title={t.tooFew} />;
  const error = nowReport.error ?? beforeReport.error;
  return (
    <div className="side">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a narrow window scrolls it with arrow keys */}
      <section className="scroll-x" aria-label={t.title} tabIndex={0}>
        <Table
          before={{
            ...{ label: t.second, job: before, report: beforeReport.data },
            onChoose: (id) => setChosen({ ...chosen, before: id }),
          }}
          now={{
            ...{ label: t.first, job: now, report: nowReport.data },
            onChoose: (id) => setChosen({ ...chosen, now: id }),
          }}
          builds={builds}
        />
      </section>
      {error !== undefined && <ErrorState error={error} />}
      {error === undefined && !(nowReport.data && beforeReport.data) && <Loading />}
    </div>
  );
}
