import type { PreferencesStore, Theme } from '../state/page/preferences.ts';

/** Resolves a preference to a theme. */
const resolveTheme = (theme: Theme, systemDark: boolean): 'light' | 'dark' =>
  theme === 'system' ? (systemDark ? 'dark' : 'light') : theme;

/** Keeps `data-theme` of the root element up to date. Returns a function that stops it. */
export function followTheme(preferences: PreferencesStore, root: HTMLElement): () => void {
  const query = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    root.dataset['theme'] = resolveTheme(preferences.getState().theme, query.matches);
  };
  apply();
  query.addEventListener('change', apply);
  const unsubscribe = preferences.subscribe(apply);
  return () => {
    query.removeEventListener('change', apply);
    unsubscribe();
  };
}
