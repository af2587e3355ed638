import type { FpgaSummary } from '../server/contract/nodes.ts';
import type { NodeClient } from './watched-files.ts';

interface Envelope {
  detail?: { message?: string };
}

/** The service over HTTP, as the desktop's own window uses it. `token` is the operator's. */
export function createNodeClient(origin: () => string, token: string, owner: string): NodeClient {
  const call = async (route: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`${origin()}${route}`, {
      ...init,
      headers: { 'X-Operator-Token': token, 'X-API-Key': owner },
    });
    if (!response.ok) {
      const body = (await response.json().catch(() => ({}))) as Envelope;
      throw new Error(body.detail?.message ?? `The service answered ${response.status}.`);
    }
    return response;
  };
  return {
    async state(fpgaId) {
      const node = (await (await call(`/fpga/${fpgaId}`)).json()) as FpgaSummary;
      return { state: node.state, ownSession: node.session?.owner === owner };
    },
    async release(fpgaId) {
      const job = (await (await call(`/fpga/${fpgaId}/session/release`, { method: 'POST' })).json()) as {
        job_id: string;
      };
      for (;;) {
        const seen = (await (await call(`/fpga/${fpgaId}/jobs/${job.job_id}?wait=30`)).json()) as {
          status: string;
        };
        if (seen.status === 'complete') return;
        if (seen.status !== 'queued' && seen.status !== 'running')
          throw new Error('The board could not be released. Reset the node.');
      }
    },
    async submit(fpgaId, filename, source) {
      const form = new FormData();
      form.append('file', new Blob([source as Uint8Array<ArrayBuffer>]), filename);
      await call(`/fpga/${fpgaId}/submit`, { method: 'POST', body: form });
    },
  };
}
