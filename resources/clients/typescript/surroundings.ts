import { handedOn, parseForwardedAddress } from '../../../server/contract/client/forwarded-address.ts';

/** Node's process; null in a page. */
const node = typeof process === 'object' && process.versions?.node !== undefined ? process : null;

/** Default address of the service: WISHBENCH_URL, the bench of this computer, or a page's own origin. */
export const defaultUrl = (): string =>
  node === null ? '' : node.env['WISHBENCH_URL'] || 'http://127.0.0.1:8000';

/** Default caller: WISHBENCH_KEY, else the user's name on this computer. */
export const defaultKey = (): string | undefined =>
  node === null ? undefined : node.env['WISHBENCH_KEY'] || node.env['WISHBENCH_API_KEY'] || userName();

const userName = (): string | undefined => node?.getBuiltinModule('node:os').userInfo().username;

/**
 * The caller's name or key at a remote bench; undefined when `url` names none. A `key` that is a name is passed on. A key
 * that a bench has issued is only for that bench.
 * @throws TypeError for a `benchKey` when `url` names no remote bench
 */
export function keyBehind(
  url: string,
  key: string | undefined,
  benchKey: string | undefined,
): string | undefined {
  if (parseForwardedAddress(url) === null) {
    if (benchKey !== undefined) throw new TypeError('benchKey needs an address such as …/benches/NAME.');
    return undefined;
  }
  return benchKey ?? (node?.env['WISHBENCH_BENCH_KEY'] || handedOn(key, userName()));
}

/** Reads a file. A page has no paths and must pass contents. */
export async function readDesign(path: string): Promise<{ name: string; contents: Uint8Array }> {
  if (node === null) throw new TypeError('Files have no paths here: pass {name, contents}.');
  const { readFile } = node.getBuiltinModule('node:fs').promises;
  return { name: node.getBuiltinModule('node:path').basename(path), contents: await readFile(path) };
}

/** How to release a node at the end of the process. */
export interface Held {
  /** Releases it while the process can still wait. */
  release(): Promise<unknown>;
  /** The release as one request, for a process that cannot wait. */
  request(): { url: string; headers: Record<string, string> };
}

const held = new Set<Held>();

/** Program that sends the requests from another process: all that an ending process can still wait for. */
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
    // End as without this handler. When the program handles the signal too, it decides.
    if (alone) node.kill(node.pid, signal);
  });
};

/** Releases a node when the process ends: normally, by an exception or by Ctrl-C. @returns cancels that */
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
