import { useEffect, useRef } from 'react';
import { focusedElement } from './focus.ts';
import type { IconName } from './Icon.tsx';

/** A key or a sequence of keys, e.g. `g b`, `/`, `mod+k`; `mod` is Ctrl, or ⌘ on a Mac. */
export interface Shortcut {
  keys: string;
  label: string;
  group: string;
  run(): void;
  /** Its entry in the palette, among the commands of the view. */
  command?: { label: string; icon: IconName; words: string | undefined; run(): void };
  /** Also works while a text field has the focus; only for chords with a modifier. */
  always?: boolean;
}

interface Layer {
  shortcuts: readonly Shortcut[];
}

/** Layers of the mounted views, innermost last: the keys of a view come before those of the shell. */
const layers: Layer[] = [];
const listeners = new Set<() => void>();

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** All active shortcuts, innermost view first, for the list of `?`. */
export function activeShortcuts(): Shortcut[] {
  const seen = new Set<string>();
  return layers
    .toReversed()
    .flatMap(({ shortcuts }) => shortcuts)
    .filter(({ keys }) => !seen.has(keys) && seen.add(keys));
}

/** The labels of keys: `⌘ K` or `Ctrl K`, `g then b`. */
export const keyLabels = (keys: string): string[] =>
  keys.split(' ').map((key) =>
    key
      .replace(/^mod\+(.)$/, (_, letter: string) => `mod+${letter.toUpperCase()}`)
      .replace('mod+', isMac() ? '⌘' : 'Ctrl ')
      .replace('shift+', '⇧')
      .replace('Escape', 'Esc')
      .replace('ArrowUp', '↑')
      .replace('ArrowDown', '↓'),
  );

/** Adds shortcuts while the view is mounted. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const layer = useRef<Layer>({ shortcuts });
  layer.current.shortcuts = shortcuts;
  useEffect(() => {
    const own = layer.current;
    layers.push(own);
    for (const listener of listeners) listener();
    return () => {
      layers.splice(layers.indexOf(own), 1);
      for (const listener of listeners) listener();
    };
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A read-only text takes the focus, but no typing.
  if (target.getAttribute('aria-readonly') === 'true') return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return (
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)
  );
}

/** The name of a key press: `k`, `?`, `mod+k`, `Escape`. */
function keyName(event: KeyboardEvent): string {
  const mod = isMac() ? event.metaKey : event.ctrlKey;
  const other = isMac() ? event.ctrlKey : event.metaKey;
  if (other || event.altKey) return '';
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (mod) return `mod+${event.shiftKey ? 'shift+' : ''}${key}`;
  return event.key.length === 1 || !event.shiftKey ? key : `shift+${key}`;
}

/** Maximum time between two keys of a sequence, ms. */
const SEQUENCE_TIMEOUT = 2500;

/** Listens for the keys of all layers. Returns a function that stops it. */
export function listenForShortcuts(target: Document): () => void {
  let first: { key: string; at: number } | undefined;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyName(event);
    if (key === '' || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
    const typing = isTyping(event.composedPath()[0] ?? event.target);
    // An open dialog keeps its keys.
    const inDialog = target.querySelector('dialog[open]') !== null;
    if (typing && !inDialog && key === 'Escape') {
      focusedElement()?.blur();
      return;
    }
    const sequence =
      first && event.timeStamp - first.at < SEQUENCE_TIMEOUT ? `${first.key} ${key}` : undefined;
    first = undefined;
    const usable = activeShortcuts().filter((shortcut) => shortcut.always || !(typing || inDialog));
    const hit =
      (sequence && usable.find(({ keys }) => keys === sequence)) || usable.find(({ keys }) => keys === key);
    if (hit) {
      event.preventDefault();
      hit.run();
    } else if (usable.some(({ keys }) => keys.startsWith(`${key} `))) {
      first = { key, at: event.timeStamp };
      event.preventDefault();
    }
  };
  target.addEventListener('keydown', onKey);
  return () => target.removeEventListener('keydown', onKey);
}
