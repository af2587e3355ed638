import type { PreferencesStore, Theme } from '../state/page/preferences.ts';

/** The theme that a choice comes to. */
const resolveTheme = (theme: Theme, systemDark: boolean): 'light' | 'dark' =>
  theme === 'system' ? (systemDark ? 'dark' : 'light') : theme;

/** Keeps `data-theme` on the root element true to the preference and the system. Returns its end. */
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
