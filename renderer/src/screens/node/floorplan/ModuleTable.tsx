import type { Floorplan, PlacedModule } from '../../../../../server/contract/signals/floorplan.ts';
import { formatCount } from '../../../format/size.ts';
import { href, type Route } from '../../../state/page/routes.ts';
import { text } from '../../../text/text.ts';

const t = text.floorplan;

/** The name of an instance. */
export function instanceName({ path, whose }: PlacedModule): string {
  if (path !== '') return path;
  return whose === 'design' ? t.top : t.benchTop;
}

const COUNTS = ['cells', 'lut', 'ff', 'carry', 'ram'] as const;

function Numbers({ of }: { of: Pick<PlacedModule, (typeof COUNTS)[number]> }) {
  return COUNTS.map((count) => (
    <td key={count} className="num">
      {formatCount(of[count])}
    </td>
  ));
}

/** The modules with their cells, the design's first: the picture in words. */
export function ModuleTable({
  plan,
  chosen,
  sourceOf,
  onChoose,
}: {
  plan: Floorplan;
  chosen: number | undefined;
  sourceOf(place: { file?: number; line?: number }): Route | undefined;
  onChoose(module: number | undefined): void;
}) {
  const rows = plan.modules.map((module, index) => ({ module, index }));
  return (
    <div className="report-part floorplan-modules">
      <h3>{t.modules}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a narrow window scrolls it with arrow keys */}
      <section className="scroll-x" aria-label={t.modules} tabIndex={0}>
        <table className="figures figures-dense">
          <thead>
            <tr>
              <th scope="col">{t.module}</th>
              <th scope="col">{t.whose}</th>
              {COUNTS.map((count) => (
                <th key={count} scope="col" className="num">
                  {t[count]}
                </th>
              ))}
              <th scope="col">{t.source}</th>
            </tr>
          </thead>
          {(['design', 'bench'] as const).map((whose) => {
            const own = rows.filter(({ module }) => module.whose === whose);
            if (own.length === 0) return null;
            const sum = Object.fromEntries(
              COUNTS.map((count) => [count, own.reduce((all, { module }) => all + module[count], 0)]),
            ) as Record<(typeof COUNTS)[number], number>;
            return (
              <tbody key={whose}>
                <tr className="floorplan-total">
                  <th scope="row">{t.total(whose)}</th>
                  <td>{t.whoseOf[whose]}</td>
                  <Numbers of={sum} />
                  <td />
                </tr>
                {own.map(({ module, index }) => {
                  const name = instanceName(module);
                  const source = sourceOf(module);
                  return (
                    <tr key={index}>
                      <th scope="row" className="mono path-name">
                        <button
                          type="button"
                          className="link-button floorplan-module"
                          aria-pressed={chosen === index}
                          title={t.show(name)}
                          onClick={() => onChoose(chosen === index ? undefined : index)}
                        >
                          {name}
                        </button>
                        {module.module !== null && <span className="muted"> {module.module}</span>}
                      </th>
                      <td>{t.whoseOf[whose]}</td>
                      <Numbers of={module} />
                      <td>
                        {source && (
                          <a href={href(source)}>
                            {t.openSource(plan.files[module.file ?? 0] ?? '', module.line ?? 0)}
                          </a>
                        )}
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            );
          })}
        </table>
      </section>
    </div>
  );
}
