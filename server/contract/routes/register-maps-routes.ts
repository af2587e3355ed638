import Type from 'typebox';
import { enumOf } from '../component.ts';
import { ImportedRegisterMap, MAP_FORMATS, RegisterMap } from '../designs/register-map.ts';
import type { EndpointId } from '../endpoints.ts';
import { answer, answerEmpty, answerOr, type Route } from '../route.ts';
import { design } from './shared.ts';

const MapFormatName = enumOf(MAP_FORMATS, { description: 'Form of the map.' });

/** Routes of the register maps of designs. */
export const REGISTER_MAPS_ROUTES = {
  getDesignMap: {
    ...design,
    summary: 'The register map of a design',
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
      'As JSON, or as the text of a file: CMSIS-SVD, IP-XACT (SystemRDL tools export it), LiteX’s csr.csv or csr.json, or the table that `GET` answers with `format=csv`. Without `format` the service detects the format; JSON is then a map as in the answers. The registers are in csr.csv and csr.json of a node that runs the design. `warnings` names what a map cannot express.',
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
    summary: 'Registers found in the source that the map does not have',
    description:
      'Inferred from comments and the address decoder of the newest stored version; each register is `proposed` and has its source line. Registers that the map has, or lists as `dismissed`, are skipped. The map does not change until a PUT.',
    answers: {
      200: answer('The proposal; without registers if the source has nothing certain.', RegisterMap),
    },
    errors: ['design_not_found', 'version_not_found', 'too_busy'],
  },

  deleteDesignMap: {
    ...design,
    summary: 'Remove the register map of a design',
    holder: 'design',
    answers: { 204: answerEmpty('It was removed.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
