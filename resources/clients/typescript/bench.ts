import { type Client, createClient } from '../../../server/contract/client/client.ts';
import { type Fetch, utf8Header } from '../../../server/contract/client/request.ts';
import type { SocketConstructor } from '../../../server/contract/client/stream.ts';
import { TransactionLine } from '../../../server/contract/client/transaction-line.ts';
import { completed } from '../../../server/contract/client/work.ts';
import type { DesignDetails, DesignSummary } from '../../../server/contract/designs/designs.ts';
import type { UploadedFile } from '../../../server/contract/designs/uploads.ts';
import type { Job, SubmitOptions } from '../../../server/contract/jobs/jobs.ts';
import type { ControlRequest } from '../../../server/contract/nodes/control.ts';
import type { FpgaSummary } from '../../../server/contract/nodes/nodes.ts';
import { BenchNode, HeldNode } from './node.ts';
import { defaultKey, defaultUrl, keyBehind, readDesign } from './surroundings.ts';

/** Options of a Bench. */
export interface BenchOptions {
  /** Origin of the service. Default: WISHBENCH_URL, http://127.0.0.1:8000, or a page's own origin. */
  url?: string;
  /** The caller's name or key. Default: WISHBENCH_KEY, or the user's name. */
  key?: string;
  /**
   * The caller's name or key at a remote bench, when `url` is such as http://hall-a:8000/benches/hall-b and `key` is for
   * hall-a. Default: WISHBENCH_BENCH_KEY, or the name in `key`. A key of hall-a is never passed on.
   */
  benchKey?: string;
  /** A `fetch` to use, for example one that trusts the bench's certificate. */
  fetch?: Fetch;
  /** Constructor for streams. Default: the global one, which Node has since version 22. Without one, words go as runs. */
  WebSocket?: SocketConstructor;
}

/** Options of Bench.program. */
export interface ProgramOptions extends SubmitOptions {
  /** The node, 0 to 9. Default: the first idle one. */
  node?: number;
  /** For a node that you hold: its design runs until the new one is built, which then replaces it. */
  replace?: boolean;
  /** Called at every change of the job. */
  onChange?: (job: Job) => void;
  signal?: AbortSignal;
}

type Design = string | UploadedFile;

const isList = (design: Design | readonly Design[]): design is readonly Design[] => Array.isArray(design);

/** The files of a design. A path is read, and is the file's name in a project. */
async function uploadOf(design: Design | readonly Design[]): Promise<UploadedFile | UploadedFile[]> {
  if (isList(design))
    return Promise.all(
      design.map(async (one) => (typeof one === 'string' ? { ...(await readDesign(one)), name: one } : one)),
    );
  return typeof design === 'string' ? readDesign(design) : design;
}

/** A service with ten nodes. */
export class Bench {
  /** Every operation of the service, typed. */
  readonly client: Client;
  readonly #headers: Record<string, string>;
  readonly #WebSocket: SocketConstructor | undefined;

  /** @throws TypeError for a `benchKey` when `url` names no remote bench. */
  constructor({ url = defaultUrl(), key = defaultKey(), benchKey, fetch, WebSocket }: BenchOptions = {}) {
    this.#WebSocket = WebSocket;
    const there = keyBehind(url, key, benchKey);
    this.#headers = {
      ...(key === undefined ? {} : { 'x-api-key': utf8Header(key) }),
      ...(there === undefined ? {} : { 'x-bench-key': utf8Header(there) }),
    };
    this.client = createClient({
      base: url.replace(/\/+$/, ''),
      headers: () => this.#headers,
      ...(fetch ? { fetch } : {}),
    });
  }

  /** Asks the holder of a node for control, with an optional note. */
  requestControl(node: number, note?: string): Promise<ControlRequest> {
    return this.client.requestControl({ fpga_id: node, body: note === undefined ? {} : { note } });
  }

  /** Withdraws the control request. */
  async withdrawControlRequest(node: number): Promise<void> {
    await this.client.withdrawControlRequest({ fpga_id: node });
  }

  /** Declines an owner's request for control of a node that you hold. */
  async declineControlRequest(node: number, owner: string): Promise<void> {
    await this.client.declineControlRequest({ fpga_id: node, body: { owner } });
  }

  /** Designs, the latest first: your own, those of an owner, or with `*` all. */
  designs(owner?: string): Promise<DesignSummary[]> {
    return this.client.listDesigns(owner === undefined ? {} : { owner });
  }

  /** A design with its versions. */
  design(id: string): Promise<DesignDetails> {
    return this.client.getDesign({ design_id: id });
  }

  /** The ten nodes. */
  nodes(): Promise<FpgaSummary[]> {
    return this.client.listNodes();
  }

  /**
   * Builds a design and programs a node with it. A design is a path (in Node), a name with contents, or a list of these for a
   * project.
   * @throws JobFailedError with the end of the log when the job fails; ServiceError when the service refuses.
   */
  async program(design: Design | readonly Design[], options: ProgramOptions = {}): Promise<BenchNode> {
    const { node, replace, onChange, signal, ...form } = options;
    const file = await uploadOf(design);
    const body = { ...form, file };
    const call = signal ? { signal } : {};
    const accepted =
      node === undefined
        ? await this.client.submitToAnyNode({ body }, call)
        : await this.client.submitDesign({ fpga_id: node, body, ...(replace ? { replace } : {}) }, call);
    const job = await completed(this.client, accepted, { ...call, ...(onChange ? { onChange } : {}) });
    const { limits } = await this.client.getStatus({}, call);
    const line = new TransactionLine(this.client, job.fpga_id, this.#WebSocket);
    return new BenchNode(this.client, line, job, limits.words_per_run, this.#headers, this.#WebSocket);
  }

  /**
   * A node that the caller holds already, with its running design. The session stays.
   * @throws ServiceError with `no_active_session` when the node has no session.
   */
  async node(fpgaId: number): Promise<HeldNode> {
    await this.client.getSession({ fpga_id: fpgaId });
    const { limits } = await this.client.getStatus();
    return new HeldNode(
      this.client,
      new TransactionLine(this.client, fpgaId, this.#WebSocket),
      fpgaId,
      limits.words_per_run,
    );
  }
}
