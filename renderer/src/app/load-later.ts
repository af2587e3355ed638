/** Loads a module when it is asked for, or when the page has nothing else to do: so that it is there by then. */
export function loadLater<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const once = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  // A failure is told to whoever asks for the module.
  const early = () => void once().catch(() => {});
  if (typeof requestIdleCallback === 'function') requestIdleCallback(early);
  else setTimeout(early, 1000);
  return once;
}
