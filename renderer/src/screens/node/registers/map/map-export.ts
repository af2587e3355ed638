// The exports of a register map.
import { send } from '../../../../../../server/contract/client/request.ts';
import type { MapFormat } from '../../../../../../server/contract/designs/register-map.ts';
import { saveFile } from '../../../../components/clipboard.ts';
import type { MenuItem } from '../../../../components/Menu.tsx';
import { showRefusal } from '../../../../state/actions/actions.ts';
import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { text } from '../../../../text/text.ts';
import type { MappedDesign } from './map-store.ts';
import { mapToJson, type RegisterMap } from './register-map.ts';

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

const fileName = (name: string): string => name.replace(/[^\w.-]+/g, '-') || 'map';

/**
 * The entries of a menu that export a design's map: in every format of a bench that stores it, else as JSON.
 * @param atBench the bench stores the map
 */
export function mapExports(
  client: BenchClient,
  map: RegisterMap,
  { id }: MappedDesign,
  atBench: boolean,
): MenuItem[] {
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
  if (atBench && id !== undefined)
    return BENCH_FORMATS.map((format) => ({
      label: t.exportAs(t.formats[format]),
      run: () => void saveFromBench(format, id),
    }));
  return [
    { label: t.exportAs(t.formats.json), run: () => void save('json', mapToJson(map), 'application/json') },
  ];
}
