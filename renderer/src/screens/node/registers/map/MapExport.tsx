import { send } from '../../../../../../server/contract/client/request.ts';
import type { MapFormat } from '../../../../../../server/contract/designs/register-map.ts';
import { saveFile } from '../../../../components/clipboard.ts';
import { showRefusal } from '../../../../state/actions/actions.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { text } from '../../../../text/text.ts';
import { mapToCsv } from './map-csv.ts';
import { mapToJson } from './map-json.ts';
import type { MappedDesign } from './map-store.ts';
import type { RegisterMap } from './register-map.ts';

const t = text.registers.map;

/** Formats that the bench writes, with extension and media type. */
const AT_BENCH = {
  json: { ending: 'json', type: 'application/json' },
  csv: { ending: 'csv', type: 'text/csv' },
  svd: { ending: 'svd', type: 'application/xml' },
  ipxact: { ending: 'xml', type: 'application/xml' },
  'csr.csv': { ending: 'csr.csv', type: 'text/csv' },
  'csr.json': { ending: 'csr.json', type: 'application/json' },
} as const satisfies Partial<Record<MapFormat, { ending: string; type: string }>>;
type BenchFormat = keyof typeof AT_BENCH;

const BENCH_FORMATS: readonly BenchFormat[] = ['json', 'csv', 'svd', 'ipxact', 'csr.csv', 'csr.json'];
/** Formats that the page writes, for a map that the bench does not store. */
const OWN_FORMATS = ['json', 'csv'] as const;

const fileName = (name: string): string => name.replace(/[^\w.-]+/g, '-') || 'map';

/** The menu that exports a design's map in every format of the bench and the page. */
export function MapExport({
  map,
  design,
  atBench,
}: {
  map: RegisterMap;
  design: MappedDesign;
  /** The bench stores the map and writes other tools' formats. */
  atBench: boolean;
}) {
  const client = useBench();
  const save = (ending: string, contents: string, type: string) =>
    saveFile(`${fileName(map.name)}.${ending}`, contents, type);
  const saveFromBench = async (format: BenchFormat, design_id: string) => {
    const { ending, type } = AT_BENCH[format];
    try {
      const answer = await send(client.service.options, 'getDesignMap', { design_id, format }, {});
      await save(ending, await answer.text(), type);
    } catch (error) {
      showRefusal(client, error);
    }
  };
  const choose = (format: string) => {
    const chosen = BENCH_FORMATS.find((one) => one === format);
    if (chosen && atBench && design.id !== undefined) void saveFromBench(chosen, design.id);
    else if (format === 'json') void save('json', mapToJson(map), 'application/json');
    else if (format === 'csv') void save('csv', mapToCsv(map), 'text/csv');
  };
  const formats = atBench && design.id !== undefined ? BENCH_FORMATS : OWN_FORMATS;
  return (
    <select
      className="input map-export"
      aria-label={t.exportAs}
      title={t.exportAs}
      value=""
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">{t.exportMore}</option>
      {formats.map((format) => (
        <option key={format} value={format}>
          {t.formats[format]}
        </option>
      ))}
    </select>
  );
}
