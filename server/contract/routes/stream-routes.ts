import type { EndpointId } from '../endpoints.ts';
import { answer, answerEmpty, type Route } from '../route.ts';
import { TransactionPage, TransactionQuery } from '../stream/stream.ts';
import { NodeParams } from './shared.ts';

/** Routes of transactions without jobs. */
export const STREAM_ROUTES = {
  openStream: {
    summary: 'Transactions without jobs, over a WebSocket',
    description:
      'Binary frames without a subprotocol, JSON with `wishbench.v1+json`; see docs/stream.md. Refusals come before the upgrade. Every accepted frame renews the session; the stream closes when the session ends. With `wishbench.v1+viewer` it is open to every caller with a key, in any state of the node: it shows the transactions of others and accepts none.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    holder: 'stream',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 101: answerEmpty('The stream is open.') },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'upgrade_required',
      'too_many_open',
      'too_many_streams',
    ],
  },

  listTransactions: {
    summary: 'The transactions of the session, newest first',
    description: 'Runs and transactions of streams; in memory until the next session of the node begins.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: TransactionQuery,
    answers: { 200: answer('The transactions.', TransactionPage) },
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
