// A build against the one before, in the report.
import { type ComparedFigure, DIGITS } from '../../../../server/contract/client/compare-reports.ts';
import { formatCount } from '../../format/size.ts';
import { text } from '../../text/text.ts';
import { Difference } from './Difference.tsx';

const t = text.node.comparison;
/** Resources to list even without a change. */
const ALWAYS = new Set(['LUT', 'FF', 'BRAM']);

/** Speed, size and the stages that took noticeably more or less time. */
const isListed = ({ group, name, difference }: ComparedFigure): boolean => {
  switch (group) {
    case 'timing':
      return true;
    case 'resource':
      return ALWAYS.has(name) || (difference !== null && difference !== 0);
    case 'design':
      return name === 'LUT';
    case 'stage':
      return false;
  }
};

export function nameOf({ group, name }: ComparedFigure): string {
  const stages: Readonly<Record<string, string>> = text.stage;
  switch (group) {
    case 'timing':
      return name === 'fmax' ? text.node.report.fmax : text.node.report.fmaxOfDesign;
    case 'resource':
      return text.node.report.resources[name] ?? name;
    case 'design':
      return t.ofDesign(text.node.report.resources[name] ?? name);
    case 'stage':
      return stages[name] ?? name;
  }
}

const shown = (value: number | null, unit: ComparedFigure['unit']): string =>
  value === null ? '–' : unit === '' ? formatCount(value) : `${value.toFixed(DIGITS[unit])} ${unit}`;

/** Speed and size of a build and of the one before of its design. */
export function BuildBefore({ figures }: { figures: readonly ComparedFigure[] }) {
  const seconds = figures.filter(({ group }) => group === 'stage');
  const sum = (which: 'before' | 'now') => seconds.reduce((all, figure) => all + (figure[which] ?? 0), 0);
  const [before, now] = [sum('before'), sum('now')];
  const total: ComparedFigure = {
    ...{ group: 'stage', name: t.total, unit: 's', before, now },
    difference: Number((now - before).toFixed(DIGITS.s)),
  };
  return (
    <section className="report-part">
      <h3>{t.title}</h3>
      <table className="figures figures-dense">
        <thead>
          <tr>
            <th scope="col">{text.node.sideBySide.figure}</th>
            <th scope="col" className="num">
              {t.before}
            </th>
            <th scope="col" className="num">
              {t.now}
            </th>
            <th scope="col" className="num">
              {text.node.sideBySide.difference}
            </th>
          </tr>
        </thead>
        <tbody>
          {[...figures.filter(isListed), total].map((figure) => (
            <tr key={`${figure.group} ${figure.name}`}>
              <th scope="row">{nameOf(figure)}</th>
              <td className="num">{shown(figure.before, figure.unit)}</td>
              <td className="num">{shown(figure.now, figure.unit)}</td>
              <td className="num">
                <Difference figure={figure} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
