import type { FastifyInstance } from 'fastify';
import { MAX_MAP_BYTES, type MapFormat, type RegisterMap } from '../../contract/designs/register-map.ts';
import { designsError } from '../../errors/designs.ts';
import { writeMap } from '../../registermap/formats.ts';
import { beyond, proposeMap } from '../../registermap/propose/propose.ts';
import type { ApiContext } from '../context.ts';
import { sendFile } from '../serving/send-file.ts';
import { serve } from '../serving/serve.ts';
import { sourceFiles } from './source-files.ts';
import { parseUploadedMap } from './uploaded-map.ts';

/** Media type and extension of each format. */
const FILES: Readonly<Record<Exclude<MapFormat, 'json'>, { type: string; ending: string }>> = {
  csv: { type: 'text/csv', ending: 'csv' },
  svd: { type: 'application/xml', ending: 'svd' },
  ipxact: { type: 'application/xml', ending: 'xml' },
  // Not application/json, which would have to be a map in the API's own form.
  'csr.json': { type: 'text/plain', ending: 'csr.json' },
  'csr.csv': { type: 'text/csv', ending: 'csr.csv' },
};

/** True when the query names another format than the API's own, so that the JSON text is parsed here. */
const namesFormat = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'format' in query;

/** Routes of the register maps of designs, in and out in every format. */
export function registerMapRoutes(app: FastifyInstance, { designs, pool, outgoing }: ApiContext): void {
  const storedMap = async (designId: string): Promise<RegisterMap> => {
    const map = await designs.document(designId, 'map');
    if (!map) throw designsError('no_register_map');
    return map;
  };

  serve(app, 'getDesignMap', async ({ params: { design_id }, query: { format = 'json' }, reply }) => {
    const map = await storedMap(design_id);
    if (format === 'json') return map;
    const { type, ending } = FILES[format];
    const name = `${design_id}.${ending}`;
    return sendFile(reply, { name, type: `${type}; charset=utf-8` }, writeMap(map, format));
  });

  serve(
    app,
    'putDesignMap',
    async ({ params: { design_id }, query: { format }, body }) => {
      const stem = designs.nameOf(design_id).replace(/\.[^.]*$/, '');
      const imported = parseUploadedMap(body, format, stem);
      const { warnings: _warnings, ...map } = imported;
      await designs.keep(design_id, 'map', map);
      return imported;
    },
    { bodyBytes: () => MAX_MAP_BYTES, asText: namesFormat },
  );

  serve(app, 'proposeDesignMap', async ({ params: { design_id }, caller, reply }) => {
    const { versions, name } = await designs.get(design_id);
    const newest = versions.find(({ source_sha256 }) => source_sha256 !== null) ?? versions[0];
    if (!newest) throw designsError('version_not_found');
    await outgoing.reserve(reply.raw, caller, newest.bytes);
    const [{ filename, source }, report, map] = await Promise.all([
      designs.source(design_id, newest.job_id),
      pool.report(newest.fpga_id, newest.job_id).catch(() => null),
      designs.document(design_id, 'map'),
    ]);
    const stem = name.replace(/\.[^.]*$/, '');
    return beyond(proposeMap(await sourceFiles(filename, source), report?.design ?? null, stem), map);
  });

  serve(app, 'deleteDesignMap', async ({ params, reply }) => {
    await designs.drop(params.design_id, 'map');
    return reply.send();
  });
}
