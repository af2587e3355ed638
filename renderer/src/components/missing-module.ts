/** A page that was loaded anew for a module is not loaded anew for one again before so long, ms: then it is said. */
const AGAIN_MS = 30_000;
/** Between two looks whether the service answers, ms. */
const LOOK_MS = 1000;
const KEY = 'wishbench.loaded-anew';

/** Resolves when the service answers. */
async function answering(): Promise<void> {
  for (;;) {
    const answer = await fetch('.', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Whether the page may be loaded anew now, which is noted; never where nothing can be noted. */
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
 * The module. Browsers never ask again for one that could not be had, as while the service was away or when a newer one
 * took its place: the page is loaded anew then, as soon as the service answers, and stands where it stood.
 * @throws what `load` throws, where loading the page anew did not help
 */
export async function orLoadAnew<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (error) {
    await answering();
    if (!mayLoadAnew()) throw error;
    window.location.reload();
    return new Promise(() => {});
  }
}
