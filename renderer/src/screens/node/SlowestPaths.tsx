// The slowest paths of a build.
import { useState } from 'react';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import { IconButton } from '../../components/Button.tsx';
import { text } from '../../text/text.ts';
import { type ArrivedStep, type PathRow, pathRows } from './path-rows.ts';

const t = text.node.report;

function StepRow({
  step: { from, to, delay_ns, type, at },
  inChain,
}: {
  step: ArrivedStep;
  inChain?: boolean;
}) {
  return (
    <tr className={inChain ? 'path-inner' : undefined}>
      <td className="num">{at.toFixed(2)} ns</td>
      <td className="num">{delay_ns.toFixed(2)} ns</td>
      <td>{type}</td>
      <td className="mono path-name">{from}</td>
      <td className="mono path-name">{to}</td>
    </tr>
  );
}

/** A carry chain in one row; its button shows the steps. */
function ChainRows({ steps }: { steps: readonly ArrivedStep[] }) {
  const [open, setOpen] = useState(false);
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return null;
  const carries = steps.filter(({ type }) => type === 'logic').length;
  return (
    <>
      <tr>
        <td className="num">{last.at.toFixed(2)} ns</td>
        <td className="num">{(last.at - first.at + first.delay_ns).toFixed(2)} ns</td>
        <td className="path-chain">
          {t.chain(carries)}
          <IconButton
            icon={open ? 'down' : 'right'}
            aria-expanded={open}
            label={t.chainSteps(carries)}
            onClick={() => setOpen(!open)}
          />
        </td>
        <td className="mono path-name">{first.from}</td>
        <td className="mono path-name">{last.to}</td>
      </tr>
      {open && steps.map((step) => <StepRow key={step.index} step={step} inChain />)}
    </>
  );
}

const keyOf = (row: PathRow): number => (row.kind === 'step' ? row.step.index : (row.steps[0]?.index ?? 0));

function CriticalPath({
  title,
  note,
  path,
}: {
  title: string;
  note?: string;
  path: BuildReport['timing']['critical_path'];
}) {
  if (path.length === 0) return null;
  return (
    <section className="report-part">
      <h3>{title}</h3>
      {note !== undefined && <p className="muted">{note}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a narrow window scrolls it with arrow keys */}
      <section className="scroll-x" aria-label={title} tabIndex={0}>
        <table className="figures figures-dense">
          <thead>
            <tr>
              <th scope="col" className="num">
                {t.sum}
              </th>
              <th scope="col" className="num">
                {t.delay}
              </th>
              <th scope="col">{t.kind}</th>
              <th scope="col">{t.from}</th>
              <th scope="col">{t.to}</th>
            </tr>
          </thead>
          <tbody>
            {pathRows(path).map((row) =>
              row.kind === 'chain' ? (
                <ChainRows key={keyOf(row)} steps={row.steps} />
              ) : (
                <StepRow key={keyOf(row)} step={row.step} />
              ),
            )}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** The slowest path through the design, and the critical path if it is another one. */
export function SlowestPaths({ timing: { design, critical_path: all } }: { timing: BuildReport['timing'] }) {
  if (!design) return <CriticalPath title={t.critical} path={all} />;
  const same = JSON.stringify(design.critical_path) === JSON.stringify(all);
  return (
    <>
      <CriticalPath
        title={t.criticalOfDesign}
        note={same ? t.criticalSame : t.criticalOfDesignHint}
        path={design.critical_path}
      />
      {!same && <CriticalPath title={t.critical} path={all} />}
    </>
  );
}
