import Type from 'typebox';
import { enumOf } from '../component.ts';
import type { EndpointId } from '../endpoints.ts';
import { JobId } from '../jobs.ts';
import { DesignDetails, DesignId, DesignSummary } from '../kept-designs.ts';
import { Panel } from '../panel.ts';
import { ImportedRegisterMap, MAP_FORMATS, RegisterMap } from '../register-map.ts';
import { answer, answerEmpty, answerFile, answerOr, type Route } from '../route.ts';
import { SCRIPT_EXPORTS, Script } from '../scripts.ts';
import { Waves } from '../waves.ts';

const DesignParams = Type.Object({ design_id: DesignId });
const design = { tag: 'designs', access: 'key', params: DesignParams } as const;

/** What `GET …/script.{format}` writes. */
export const ExportFormat = enumOf(SCRIPT_EXPORTS, {
  description: '`curl`: bash with curl; `py`, `ts`: Python and TypeScript with the clients of the bench.',
});

const MapFormatName = enumOf(MAP_FORMATS, { description: 'Form of the map.' });

/** Designs with their versions, and what is kept with them. */
export const KEPT_DESIGNS_ROUTES = {
  listDesigns: {
    summary: 'The designs that were built, the last one first',
    tag: 'designs',
    access: 'key',
    query: Type.Object({
      owner: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 512,
          description:
            'Only designs of this owner; `*` for all. Absent: as in the list of jobs, the caller’s own where it has a name.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          default: 100,
          description: 'Most designs to answer with.',
        }),
      ),
    }),
    answers: { 200: answer('The designs.', Type.Array(DesignSummary)) },
  },

  getDesign: {
    ...design,
    summary: 'A design with its versions',
    answers: { 200: answer('The design.', DesignDetails) },
    errors: ['design_not_found'],
  },

  getDesignSource: {
    ...design,
    params: Type.Object({ design_id: DesignId, job_id: JobId }),
    summary: 'The source of a version',
    answers: { 200: answerFile('The source as it was submitted.', 'text/plain') },
    errors: ['design_not_found', 'version_not_found', 'too_busy'],
  },

  getDesignScript: {
    ...design,
    summary: 'The script that is kept with a design',
    answers: { 200: answer('The script.', Script) },
    errors: ['design_not_found', 'no_script'],
  },

  exportDesignScript: {
    ...design,
    params: Type.Object({ design_id: DesignId, format: ExportFormat }),
    summary: 'The same as a program',
    description:
      'It submits the file that it is given, or runs on the node that WISHBENCH_NODE names, prints each step and ends with 1 where one failed.',
    answers: { 200: answerFile('The program.', 'text/plain') },
    errors: ['design_not_found', 'no_script'],
  },

  putDesignScript: {
    ...design,
    summary: 'Keep a script with a design: it runs on every build of it',
    body: { takes: 'json', schema: Script },
    holder: 'design',
    answers: { 200: answer('Kept.', Script) },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable', 'storage_low'],
  },

  deleteDesignScript: {
    ...design,
    summary: 'Remove the script of a design',
    holder: 'design',
    answers: { 204: answerEmpty('It has none any more.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },

  getDesignMap: {
    ...design,
    summary: 'The register map that is kept with a design',
    description:
      'With `format` in another form: `svd` and `ipxact` are XML, `csv` and `csr.csv` tables, `csr.json` is text as LiteX writes it.',
    query: Type.Object({ format: Type.Optional(MapFormatName) }),
    answers: { 200: answerOr('The map.', RegisterMap, ['application/xml', 'text/csv', 'text/plain']) },
    errors: ['design_not_found', 'no_register_map'],
  },

  putDesignMap: {
    ...design,
    summary: 'Keep a register map with a design',
    description:
      'As JSON, or as the text of a file: CMSIS-SVD, IP-XACT (also what SystemRDL is exported to), LiteX’s csr.csv or csr.json, or the table that `GET` answers with `format=csv`. Without `format` the text itself says which; JSON is then the map as it is answered. Its registers are in the csr.csv and csr.json of a node that runs the design. What a file says that a map has no word for is named in `warnings`.',
    query: Type.Object({ format: Type.Optional(MapFormatName) }),
    body: {
      takes: 'json',
      schema: RegisterMap,
      or: ['application/xml', 'text/xml', 'text/csv', 'text/plain'],
    },
    holder: 'design',
    answers: { 200: answer('Kept.', ImportedRegisterMap) },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable', 'storage_low'],
  },

  proposeDesignMap: {
    ...design,
    summary: 'What the source says of registers beyond the map that is kept',
    description:
      'Read from comments and from the address decoder of the newest version whose source is kept; each register is `proposed` and has its line. What the map has at an address or by a name, and what it lists as `dismissed`, is left out. Nothing of it is in the map until it is put there.',
    answers: {
      200: answer('The proposal; no registers where the source says nothing that is certain.', RegisterMap),
    },
    errors: ['design_not_found', 'version_not_found', 'too_busy'],
  },

  deleteDesignMap: {
    ...design,
    summary: 'Remove the register map of a design',
    holder: 'design',
    answers: { 204: answerEmpty('It has none any more.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },

  getDesignPanel: {
    ...design,
    summary: 'How the ports of a design are drawn on its panel',
    answers: { 200: answer('The panel.', Panel) },
    errors: ['design_not_found', 'no_panel'],
  },

  putDesignPanel: {
    ...design,
    summary: 'Keep with a design how its ports are drawn',
    body: { takes: 'json', schema: Panel },
    holder: 'design',
    answers: { 200: answer('Kept.', Panel) },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable', 'storage_low'],
  },

  deleteDesignPanel: {
    ...design,
    summary: 'Forget how the ports of a design are drawn',
    holder: 'design',
    answers: { 204: answerEmpty('It has none any more.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },

  getDesignWaves: {
    ...design,
    summary: 'Which signals of a design are watched, in which order, and how',
    answers: { 200: answer('The rows of its waveforms.', Waves) },
    errors: ['design_not_found', 'no_waves'],
  },

  putDesignWaves: {
    ...design,
    summary: 'Keep with a design which of its signals are watched',
    description: 'Names are not looked up: a version of the design may have them again.',
    body: { takes: 'json', schema: Waves },
    holder: 'design',
    answers: { 200: answer('Kept.', Waves) },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable', 'storage_low'],
  },

  deleteDesignWaves: {
    ...design,
    summary: 'Forget which signals of a design are watched',
    holder: 'design',
    answers: { 204: answerEmpty('It has none any more.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
