import { handedOn, parseForwardedAddress } from '../../../server/contract/client/forwarded-address.ts';

/** What the client takes from where it runs: Node says more than a page does. */
const node = typeof process === 'object' && process.versions?.node !== undefined ? process : null;

/** Where the service is when nobody says so: WISHBENCH_URL, the bench of this computer, a page's own origin. */
export const defaultUrl = (): string =>
  node === null ? '' : node.env['WISHBENCH_URL'] || 'http://127.0.0.1:8000';

/** Who calls when nobody says so: WISHBENCH_KEY, else the user's name on this computer. */
export const defaultKey = (): string | undefined =>
  node === null ? undefined : node.env['WISHBENCH_KEY'] || node.env['WISHBENCH_API_KEY'] || userName();

const userName = (): string | undefined => node?.getBuiltinModule('node:os').userInfo().username;

/**
 * Who calls the bench behind the one at `url`; undefined where there is none. `key`, who calls the first one, goes on where it
 * is a name: what a bench has minted is for that bench alone.
 * @throws TypeError for a `benchKey` without a bench that it is for
 */
export function keyBehind(
  url: string,
  key: string | undefined,
  benchKey: string | undefined,
): string | undefined {
  if (parseForwardedAddress(url) === null) {
    if (benchKey !== undefined) throw new TypeError('benchKey goes with an address such as …/benches/NAME.');
    return undefined;
  }
  return benchKey ?? (node?.env['WISHBENCH_BENCH_KEY'] || handedOn(key, userName()));
}

/** The contents of a file by its path. A page has no paths: it hands over contents. */
export async function readDesign(path: string): Promise<{ name: string; contents: Uint8Array }> {
  if (node === null) throw new TypeError('Files have no paths here: pass {name, contents}.');
  const { readFile } = node.getBuiltinModule('node:fs').promises;
  return { name: node.getBuiltinModule('node:path').basename(path), contents: await readFile(path) };
}

/** What a node that is still held needs to be given back. */
export interface Held {
  /** Gives it back while the process can still wait. */
  release(): Promise<unknown>;
  /** The same as one request, for a process that cannot wait any more. */
  request(): { url: string; headers: Record<string, string> };
}

const held = new Set<Held>();

/** Sends the requests from a process of its own and waits for it: all that is left when a process is ending. */
const GIVE_BACK = `await Promise.allSettled(JSON.parse(process.env.WISHBENCH_RELEASES).map(({ url, headers }) =>
  fetch(url, { method: 'POST', headers, signal: AbortSignal.timeout(4000) })))`;

function releaseAtExit(): void {
  if (node === null || held.size === 0 || node.versions['electron']) return;
  const requests = [...held].map((one) => one.request());
  node
    .getBuiltinModule('node:child_process')
    .spawnSync(node.execPath, ['--input-type=module', '-e', GIVE_BACK], {
      env: { ...node.env, NODE_OPTIONS: '', WISHBENCH_RELEASES: JSON.stringify(requests) },
      timeout: 5_000,
      stdio: 'ignore',
    });
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const onSignal = (signal: NodeJS.Signals): void => {
  if (node === null) return;
  const alone = node.listenerCount(signal) === 1;
  void Promise.allSettled([...held].map((one) => one.release())).then(() => {
    // Ends as it would have ended without us; a program that minds the signal itself decides for itself.
    if (alone) node.kill(node.pid, signal);
  });
};

/** Gives a node back when the process ends, however it does: at its end, by an exception, by Ctrl-C. */
export function releaseWithProcess(one: Held): () => void {
  if (held.size === 0 && node !== null) {
    node.on('exit', releaseAtExit);
    for (const signal of SIGNALS) node.on(signal, onSignal);
  }
  held.add(one);
  return () => {
    if (!held.delete(one) || held.size > 0 || node === null) return;
    node.off('exit', releaseAtExit);
    for (const signal of SIGNALS) node.off(signal, onSignal);
  };
}
