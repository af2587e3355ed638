// The client of a bench: the typed client, the stores, and the event stream between them.
import { createStore } from 'zustand/vanilla';
import type { DesktopBridge } from '../../../../preload/bridge.ts';
import { type Client, createClient } from '../../../../server/contract/client/client.ts';
import {
  type Connection,
  EventStream,
  type EventStreamOptions,
} from '../../../../server/contract/client/event-stream.ts';
import { utf8Header } from '../../../../server/contract/client/request.ts';
import type { SocketConstructor } from '../../../../server/contract/client/stream.ts';
import { ENDPOINTS, type EndpointId } from '../../../../server/contract/endpoints.ts';
import type { CaptureEvent, SnapshotEvent } from '../../../../server/contract/events/events.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { createBenchesStore, mergeBenches, setBenches } from '../bench/benches.ts';
import { createCourseChanges } from '../bench/course-changes.ts';
import { createIdentityStore, type SignedIn } from '../bench/identity.ts';
import { createStatusStore, mergeStatus } from '../bench/status.ts';
import { WatchedFiles } from '../files/watched-files.ts';
import { createJobsStore, mergeJobs, replaceJobs } from '../jobs/jobs.ts';
import { OpenLogs } from '../jobs/logs.ts';
import { OwnJobs } from '../jobs/own-jobs.ts';
import { addActivity, createActivityStore, loadActivity } from '../nodes/activity.ts';
import { NodeLines } from '../nodes/node-line.ts';
import { createNodesStore, mergeNodes, setNodes } from '../nodes/nodes.ts';
import { type AtBench, headersFor, othersThan } from '../page/at-bench.ts';
import { createDialogStore } from '../page/dialogs.ts';
import { createNoticesStore } from '../page/notices.ts';
import { createPreferencesStore, type Memory } from '../page/preferences.ts';
import { type Batch, EventPump } from '../page/pump.ts';
import { createToastsStore } from '../page/toasts.ts';
import { waitedForUntil } from '../page/waited-for.ts';
import { recordPins } from '../samples/pin-samples.ts';

export interface BenchClientOptions {
  /** Address of the service, without a slash at the end; empty for the page's own origin. */
  base?: string;
  fetch?: typeof fetch;
  /** For the transaction streams; without it every transaction is a run. */
  WebSocket?: SocketConstructor | undefined;
  /** Clock of the event stream. */
  clock?: EventStreamOptions['clock'];
  /** Permanent storage, such as localStorage. */
  memory?: Memory | undefined;
  /** Storage of the tab, such as sessionStorage. */
  tabMemory?: Memory | undefined;
  desktop?: DesktopBridge | undefined;
  /** Another bench; `base` reaches it through the bench that served the page. */
  at?: AtBench | undefined;
  /** The client of the bench that served the page, if `at` is another one. */
  home?: BenchClient | undefined;
}

/** Poll interval of the benches without their events, ms. */
const LOOK_MS = 2_000;

/** The same client; its answers count as pending until they arrive. Streams never end and do not count. */
function waitedForCalls(service: Client): Client {
  const ids = (Object.keys(ENDPOINTS) as EndpointId[]).filter((id) => {
    const { answer } = ENDPOINTS[id];
    return answer === 'json' || answer === 'bytes' || answer === 'empty';
  });
  const calls = ids.map((id) => {
    const call = service[id] as (...args: unknown[]) => Promise<unknown>;
    return [id, (...args: unknown[]) => waitedForUntil(call(...args))] as const;
  });
  return { ...service, ...Object.fromEntries(calls) };
}

/** Takes a changed job, before and after: the source of notifications. */
type JobListener = (job: Job, before: Job | undefined) => void;

/**
 * Everything that the screens use: the client of the service, the stores, and the one event stream that keeps them up
 * to date.
 */
export class BenchClient {
  readonly service: Client;
  readonly at: AtBench | undefined;
  readonly home: BenchClient | undefined;
  /** The other benches that the bench of this page knows. */
  readonly benches = createBenchesStore();
  readonly desktop: DesktopBridge | undefined;
  readonly nodes = createNodesStore();
  readonly jobs = createJobsStore();
  readonly status = createStatusStore();
  readonly toasts = createToastsStore();
  readonly notices;
  readonly questions = createDialogStore();
  readonly connection = createStore<{ connection: Connection }>(() => ({
    connection: { kind: 'connecting' },
  }));
  /** Node → its last capture event. */
  readonly captures = createStore<Partial<Record<number, CaptureEvent>>>(() => ({}));
  readonly courses = createCourseChanges();
  /** What other people, or the bench by itself, did to the nodes. */
  readonly activity;
  readonly preferences;
  readonly identity;
  readonly logs = new OpenLogs();
  readonly lines: NodeLines;
  readonly memory: Memory | undefined;
  /** Storage of the tab. */
  readonly tabMemory: Memory | undefined;
  /** Jobs of this window. */
  readonly mine: OwnJobs;
  readonly watchedFiles: WatchedFiles;
  readonly #clock: EventStreamOptions['clock'];
  readonly #jobListeners = new Set<JobListener>();
  readonly #pump = new EventPump((batch) => this.#apply(batch));
  #stream: EventStream | undefined;

  constructor(options: BenchClientOptions = {}) {
    this.memory = options.memory;
    this.tabMemory = options.tabMemory;
    this.at = options.at;
    this.home = options.home;
    this.desktop = options.desktop;
    this.activity = createActivityStore(options.memory);
    this.notices = createNoticesStore(options.memory);
    this.preferences = createPreferencesStore(options.memory, options.desktop?.userName);
    this.identity = createIdentityStore(options.tabMemory, options.memory);
    this.mine = new OwnJobs(options.tabMemory);
    this.#clock = options.clock;
    this.service = waitedForCalls(
      createClient({
        base: options.base ?? '',
        headers: (path) => this.#headers(path),
        ...(options.fetch && { fetch: options.fetch }),
      }),
    );
    this.lines = new NodeLines(this.service, options.WebSocket);
    this.watchedFiles = new WatchedFiles({
      desktop: this.desktop,
      service: this.service,
      nodes: this.nodes,
      jobs: this.jobs,
      mine: this.mine,
      memory: this.memory,
      owner: () => this.owner,
    });
  }

  /** Opens the event stream and begins to submit watched files. Returns a function that ends both. */
  connect(): () => void {
    const stream = new EventStream({
      client: this.service.options,
      onEvents: (events) => this.#pump.push(events),
      onConnection: (connection) => this.connection.setState({ connection }),
      ...(this.#clock && { clock: this.#clock }),
    });
    this.#stream = stream;
    const endWatching = this.watchedFiles.begin();
    const endLooking = this.home ? this.#lookAtBenches(this.home) : () => {};
    return () => {
      endLooking();
      endWatching();
      stream.close();
    };
  }

  /** Polls the bench that served the page: this window does not follow its events. */
  #lookAtBenches(home: BenchClient): () => void {
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const list = await home.service.listBenches();
        if (!ended) setBenches(this.benches, othersThan(this.at, list));
      } catch {
        // The event stream of this window takes the same way, and reports the loss.
      }
      if (!ended) timer = setTimeout(look, LOOK_MS);
    };
    void look();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }

  retryNow(): void {
    this.#stream?.retryNow();
  }

  /** Opens the event stream again, after a change of caller. */
  reconnect(): void {
    this.lines.reset();
    this.#stream?.reconnect();
  }

  onJob(listener: JobListener): () => void {
    this.#jobListeners.add(listener);
    return () => this.#jobListeners.delete(listener);
  }

  /** Node → transactions of its register view that are neither exported nor cleared. That view sets it. */
  readonly unsaved = new Map<number, number>();
  unsavedTransactions = (fpgaId: number): number => this.unsaved.get(fpgaId) ?? 0;

  /** The owner of this window's jobs. */
  get owner(): string {
    return this.identity.getState().signedIn?.username ?? this.#givenName;
  }

  /** Asks the person for a name before the first record; the shell sets it and asks once. */
  askForName: () => Promise<void> = async () => {};

  /** Calls with this key from here on. */
  signIn(signedIn: SignedIn): void {
    this.identity.setState({ signedIn });
    this.reconnect();
  }

  /** Calls without a key from here on; revokes a key that this window made. */
  async signOut(): Promise<void> {
    const { signedIn } = this.identity.getState();
    // A key of the person's own may be in use elsewhere.
    if (signedIn?.minted) await this.service.revokeOwnKey().catch(() => {});
    this.identity.setState({ signedIn: undefined });
    this.reconnect();
  }

  /** The owner of a person without a name. */
  get anonymousName(): string {
    const { windowName } = this.preferences.getState();
    return windowName === '' ? 'anonymous' : `anonymous (${windowName})`;
  }

  /** The person's name, while the service does not check it. */
  get #givenName(): string {
    return this.preferences.getState().name.trim() || this.anonymousName;
  }

  /** Whether the person has a name; all people without one share a name. */
  get named(): boolean {
    return this.identity.getState().signedIn !== undefined || this.preferences.getState().name.trim() !== '';
  }

  /** Headers for calls with another key. */
  headersOfKey(apiKey: string): Record<string, string> {
    return this.home ? headersFor(apiKey, undefined) : { 'x-api-key': apiKey };
  }

  async #headers(path: string): Promise<Record<string, string>> {
    const headers: Record<string, string> = {};
    const { signedIn, operatorToken } = this.identity.getState();
    // A service that requires keys would take a name for a wrong key.
    const name = this.status.getState().status?.enforcement === false ? this.#givenName : 'anonymous';
    const key = signedIn?.apiKey ?? (name === 'anonymous' ? '' : name);
    const node = /^\/fpga\/(\d)\//.exec(path)?.[1];
    const session = node === undefined ? null : this.nodes.getState().nodes?.[Number(node)]?.session;
    const sessionId = session && session.owner === this.owner ? session.session_id : undefined;
    if (this.home) return { ...(await this.home.#headers('')), ...headersFor(key, sessionId) };
    if (key) headers['x-api-key'] = utf8Header(key);
    if (sessionId !== undefined) headers['x-session-id'] = sessionId;
    if (this.desktop) {
      const token = operatorToken ?? (await this.desktop.operatorToken());
      if (operatorToken === undefined) this.identity.setState({ operatorToken: token });
      headers['x-operator-token'] = token;
    }
    return headers;
  }

  /** A stream began: the snapshot of the service replaces the state of the page. */
  #adopt(snapshot: SnapshotEvent): void {
    setNodes(this.nodes, snapshot.nodes);
    replaceJobs(this.jobs, snapshot.jobs, snapshot.unplaced_jobs);
    loadActivity(this.activity, snapshot.activity ?? []);
    mergeStatus(this.status, snapshot.status);
    if (!this.home) setBenches(this.benches, snapshot.benches ?? []);
    this.logs.reload();
    void this.refreshStatus();
  }

  /**
   * Reads the part of the status that only this caller may see. After a refusal it stays unknown; the stream reports
   * the reason.
   */
  async refreshStatus(): Promise<void> {
    try {
      mergeStatus(this.status, await this.service.getStatus());
    } catch {
      // The page shows it as unknown.
    }
  }

  #apply(batch: Batch): void {
    if (batch.snapshot) this.#adopt(batch.snapshot);
    mergeNodes(this.nodes, batch.nodes, batch.boards);
    if (batch.jobs.size + batch.unplacedJobs.size + batch.removedJobs.size > 0) {
      const before = this.jobs.getState().byId;
      mergeJobs(this.jobs, [...batch.unplacedJobs.values(), ...batch.jobs.values()], batch.removedJobs);
      for (const job of batch.jobs.values())
        for (const listener of this.#jobListeners) listener(job, before.get(job.job_id));
    }
    if (batch.captures.size > 0) this.captures.setState(Object.fromEntries(batch.captures));
    for (const id of batch.courses) this.courses.note(id);
    addActivity(this.activity, batch.activity);
    for (const event of batch.pins) recordPins(event, Date.now());
    if (!this.home) mergeBenches(this.benches, batch.benches, batch.removedBenches);
    if (batch.status) mergeStatus(this.status, batch.status);
    if (batch.logs.length > 0) this.logs.take(batch.logs);
  }
}
