/** Minimum time between two reloads of the page for a module, ms; in between the error is shown. */
const AGAIN_MS = 30_000;
/** Interval of the checks whether the service answers, ms. */
const LOOK_MS = 1000;
const KEY = 'wishbench.loaded-anew';

/** Whether this page reloads already: every other missing module then comes with it. */
let reloading = false;

/** Resolves when the service answers. */
async function answering(): Promise<void> {
  for (;;) {
    const answer = await fetch('.', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Whether the page may reload now, and notes the reload; never without storage for the note. */
function mayLoadAnew(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(KEY)) < AGAIN_MS) return false;
    sessionStorage.setItem(KEY, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads a module, and reloads the page if that fails. A browser never requests a failed module again, for example after
 * an update. The page reloads when the service answers, and keeps its place.
 * @throws the error of `load`, if a reload did not help
 */
export async function orLoadAnew<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (error) {
    await answering();
    if (!reloading && !mayLoadAnew()) throw error;
    if (!reloading) {
      reloading = true;
      window.location.reload();
      // A reload under way would end at the former address: whoever follows a link meanwhile gets where it leads.
      window.addEventListener('hashchange', () => window.location.reload());
    }
    return new Promise(() => {});
  }
}
