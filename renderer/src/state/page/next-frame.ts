/** Milliseconds after which work is done though no frame came. */
const LATEST = 200;

/**
 * Makes a function that runs `work` once with the next frame, however often it is called until then. Windows that
 * are hidden or covered get no frames: there a timer does it.
 */
export function onNextFrame(work: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    const run = () => {
      if (!scheduled) return;
      scheduled = false;
      clearTimeout(timer);
      work();
    };
    const timer = setTimeout(run, LATEST);
    requestAnimationFrame(run);
  };
}
