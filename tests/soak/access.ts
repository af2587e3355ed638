import http from 'node:http';
import { text } from 'node:stream/consumers';
import { ACCESS_ROWS, type AccessRow, answerTo, ROLES, type Role } from '../../server/contract/access.ts';
import { NODE_COUNT } from '../../server/contract/boards/node-count.ts';
import { ENDPOINTS, type EndpointId } from '../../server/contract/endpoints.ts';
import { FPGA_STATES, type FpgaState } from '../../server/contract/nodes/nodes.ts';
import { designIdOf } from '../../server/jobs/design-id.ts';
import { PlainProvider } from '../support/api/identity-providers.ts';
import { type Refusal, SOURCE, TestBench } from '../support/api/test-bench.ts';

const TOKEN = 'the token of the operator for this walk';
/** Requests that are admitted and then change the node, once for each node. */
const CHANGING = new Set([
  'submitDesign',
  'resetNode',
  'releaseSession',
  'cancelJob',
  'cancelAnyJob',
  'stopJob',
  'stopAnyJob',
]);

/** A valid body for routes that would otherwise refuse before they check the caller. */
const BODIES: Partial<Record<EndpointId, object>> = {
  runTransaction: { op: 2, address: 0 },
  setPins: { pins: {} },
  sendToTerminal: { text: 'a' },
  runScript: { script: { steps: [] } },
  putDesignScript: { steps: [] },
  startCapture: { signals: ['count'] },
  setBoardClock: { action: 'run' },
  putDesignMap: { name: 'Echo', registers: [] },
  putDesignPanel: { ports: {} },
  putDesignWaves: { rows: [] },
  saveCapture: { name: 'a', fpga_id: 0, capture_id: '00000000-0000-4000-8000-000000000000' },
  // An impossible name: the service checks it, and the node keeps its holder.
  handOverSession: { to: 'two\nlines' },
  declineControlRequest: { owner: 'somebody' },
};

/** An id that no capture has. */
const NO_CAPTURE = '00000000-0000-4000-8000-000000000000';

const BOUNDARY = 'between-the-parts';
const form = (disposition: string, value: string) => ({
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  body: `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n--${BOUNDARY}--\r\n`,
});

/** A request's body and its content type. */
function bodyOf(
  id: EndpointId,
  method: string,
): { headers: Record<string, string>; body: string | undefined } {
  if (id === 'submitDesign' || id === 'scanDesign')
    return form('name="file"; filename="design.v"', `${SOURCE}// hang-place`);
  // Without a file the request is checked, and takes no other node.
  if (id === 'submitToAnyNode') return form('name="top"', 'echo');
  if (method !== 'POST' && method !== 'PUT') return { headers: {}, body: undefined };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(BODIES[id] ?? {}) };
}

export interface AccessFigures {
  cells: number;
  /** Cells with another answer than the table. */
  wrong: string[];
}

interface Prepared {
  node: number;
  jobId: string;
}

/** A bench, and callers of every role. */
class Walk {
  readonly bench: TestBench;
  readonly #keys = new Map<string, Record<string, string>>();
  /** Connections stay open between refusals. */
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(bench: TestBench) {
    this.bench = bench;
  }

  async #keyOf(user: string): Promise<Record<string, string>> {
    const known = this.#keys.get(user) ?? (await this.#newKeyOf(user));
    this.#keys.set(user, known);
    return known;
  }

  async #newKeyOf(user: string): Promise<Record<string, string>> {
    const { body } = await this.bench.post<{ api_key: string }>('/auth/idp/exchange', {
      json: { provider_token: user },
    });
    return { 'x-api-key': body.api_key };
  }

  /** A key that carries the operator's right. */
  async #operatorKey({ id }: AccessRow): Promise<Record<string, string>> {
    const known = id === 'revokeOwnKey' ? undefined : this.#keys.get('operator’s key');
    if (known) return known;
    const { body } = await this.bench.post<{ api_key: string }>('/auth/keys', {
      json: { owner: 'lead', operator: true },
      headers: { 'x-operator-token': TOKEN },
    });
    const headers = { 'x-api-key': body.api_key };
    if (id !== 'revokeOwnKey') this.#keys.set('operator’s key', headers);
    return headers;
  }

  /** Brings a node to a state, by its holder. */
  async prepare(node: number, state: FpgaState): Promise<Prepared> {
    const words = {
      queued: '',
      building: 'hang-place',
      programming: '',
      idle: 'fail-synthesis',
      reserved: '',
      error: '',
    };
    const board = this.bench.boards.board(node);
    if (state === 'programming') board.faults = { hangProgram: true };
    if (state === 'error') board.faults = { failProgram: 'CDONE stays low.' };
    const source = `${SOURCE}// ${words[state]} ${node}`;
    const { body } = await this.bench.submit(node, source, {}, await this.#keyOf('holder'));
    const { pool } = this.bench.bench;
    const there = () =>
      pool.node(node).state === state &&
      (state !== 'idle' || pool.job(node, body.job_id).status === 'failed');
    while (!there()) await new Promise(setImmediate);
    return { node, jobId: body.job_id };
  }

  async #headers(role: Role, node: number, row: AccessRow): Promise<Record<string, string>> {
    // The revoked key must not be the one that the others use.
    const keyOf = (user: string) => (row.id === 'revokeOwnKey' ? this.#newKeyOf(user) : this.#keyOf(user));
    switch (role) {
      case 'no key':
        return {};
      case 'wrong key':
        return { 'x-api-key': `wbk_${'A'.repeat(43)}` };
      case 'operator':
        return { 'x-operator-token': TOKEN };
      case 'operator’s key':
        return await this.#operatorKey(row);
      case 'key of the holder':
        return await keyOf('holder');
      case 'key of another':
        return await keyOf('another');
      case 'session id': {
        const id = this.bench.bench.pool.node(node).session?.session_id ?? 'none';
        return { ...(await keyOf('another')), 'x-session-id': id };
      }
    }
  }

  /** The refusal of a request; null if it is admitted: then its answer is not awaited. */
  #refusalOf(
    method: string,
    address: string,
    { headers, body }: { headers: Record<string, string>; body: string | undefined },
  ): Promise<{ status: number; error: string } | null> {
    return new Promise((resolve, reject) => {
      const request = http.request(this.bench.url + address, { method, headers, agent: this.#agent });
      request.once('error', reject);
      request.once('response', (response) => {
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) {
          // Streams among the answers have no end.
          request.destroy();
          resolve(null);
          return;
        }
        text(response)
          .then((said) => resolve({ status, error: (JSON.parse(said) as Refusal).detail.error }))
          .catch(reject);
      });
      request.end(body);
    });
  }

  /** Sends a request; returns the code of a refusal, or null if the caller was admitted, whatever the outcome. */
  async ask(row: AccessRow, role: Role, { node, jobId }: Prepared): Promise<string | null> {
    const { method, path } = ENDPOINTS[row.id];
    const address = path
      .replace(':fpga_id', String(node))
      .replace(':job_id', jobId)
      .replace(':design_id', designIdOf('holder', 'design.v'))
      .replace(':capture_id', NO_CAPTURE)
      .replace(':format', 'py')
      .replace(/:\w+/, 'none');
    const headers = await this.#headers(role, node, row);
    const sends = bodyOf(row.id, method);
    const refusal = await this.#refusalOf(method, `${address}${row.asks ? `?${row.asks}=1` : ''}`, {
      headers: { ...headers, ...sends.headers },
      body: sends.body,
    });
    if (refusal === null) return null;
    const { status, error } = refusal;
    // A missing or invalid object was checked, so the caller was admitted.
    if (error === 'check_running') return null; // an operator before this one began it
    if (error === 'inside_unsupported' || error === 'no_probes') return null; // the boards of this bench cannot be looked into
    if (error === 'already_holder') return null; // who holds the node has nothing to ask for
    return [404, 422, 426].includes(status) && error !== 'no_active_session' ? null : error;
  }
}

/**
 * Who asks in a bounded walk: all in the first state with their answer, all for what changes the node, and one in turn
 * in every state.
 */
const someOf = (index: number, row: AccessRow, place: number, enforced: boolean): readonly Role[] =>
  ROLES.filter((role, at) => {
    if (CHANGING.has(row.id) || at === (index + place) % ROLES.length) return true;
    const answers = FPGA_STATES.map((state) => answerTo(row, role, state, enforced));
    return answers.indexOf(answers[place] as string | null) === place;
  });

/**
 * Walks routes × roles × states over HTTP, on benches of its own for each state, with keys enforced and not.
 * @param whole every cell; else each row meets each state, each role, and each answer that a role gets
 */
export async function walkAccess(whole = true): Promise<AccessFigures> {
  const provider = await PlainProvider.start((request, response) => {
    const login = request.headers.authorization?.replace('Bearer ', '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ login }));
  });
  const figures: AccessFigures = { cells: 0, wrong: [] };
  try {
    for (const enforced of [true, false])
      for (const [place, state] of FPGA_STATES.entries()) {
        const start = async () => {
          const bench = await TestBench.start({
            operatorToken: TOKEN,
            doctor: async () => [],
            fakeToolchain: { slots: state === 'queued' ? 0 : 10 },
            settings: {
              auth: {
                enforcement: enforced,
                identity_provider: { kind: 'github', user_url: provider.url, allowed_users: [] },
              },
            },
          });
          const walk = new Walk(bench);
          return { bench, walk, first: await walk.prepare(0, state), next: 1 };
        };
        let at = await start();
        try {
          for (const [index, row] of ACCESS_ROWS.entries())
            for (const role of whole ? ROLES : someOf(index, row, place, enforced)) {
              const expected = answerTo(row, role, state, enforced);
              const changes = expected === null && CHANGING.has(row.id);
              // Without enforcement every caller is admitted: one of each is enough.
              if (changes && !enforced && role !== 'no key') continue;
              // Each request that changes a node has its own node.
              if (changes && at.next === NODE_COUNT) {
                await at.bench.stop();
                at = await start();
              }
              const prepared = changes ? await at.walk.prepare(at.next++, state) : at.first;
              const answer = await at.walk.ask(row, role, prepared);
              figures.cells++;
              if (answer !== expected)
                figures.wrong.push(
                  `${enforced ? '' : 'not enforced: '}${row.id}${row.asks ? ` ${row.asks}` : ''}, ${role}, ${state}: ${answer}, not ${expected}`,
                );
            }
        } finally {
          await at.bench.stop();
        }
      }
  } finally {
    await provider.stop();
  }
  return figures;
}
