/** Maximum wait for a frame, ms. */
const LATEST = 200;

/**
 * Returns a function that runs `work` once in the next frame, however often it is called. Hidden windows get no frames:
 * there a timer does it.
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
