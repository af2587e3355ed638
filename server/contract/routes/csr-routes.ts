import type { EndpointId } from '../endpoints.ts';
import { CsrMap } from '../nodes/csr.ts';
import { answer, answerFile, type Route } from '../route.ts';
import { NodeParams } from './shared.ts';

/** Routes of the files that LiteX’s tools read before they connect to a node. */
export const CSR_ROUTES = {
  getCsrCsv: {
    summary: 'The registers of a node as LiteX’s csr.csv',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 200: answerFile('A csr.csv.', 'text/csv') },
  },

  getCsrJson: {
    summary: 'The registers of a node as LiteX’s csr.json',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 200: answer('A csr.json.', CsrMap) },
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
