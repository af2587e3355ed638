import { useEffect, useRef } from 'react';
import { focusedElement } from './focus.ts';
import type { IconName } from './Icon.tsx';

/** A key or a sequence of keys, e.g. `g b`, `/`, `mod+k`; `mod` is Ctrl, or ⌘ on a Mac. */
export interface Shortcut {
  keys: string;
  label: string;
  group: string;
  run(): void;
  /** The same in the palette, among what can be done with what is open. */
  command?: { label: string; icon: IconName; words: string | undefined; run(): void };
  /** Works while a text field has the focus too; only for chords with a modifier. */
  always?: boolean;
}

interface Layer {
  shortcuts: readonly Shortcut[];
}

/** The layers that are mounted now, innermost last: a view's keys come before the shell's. */
const layers: Layer[] = [];
const listeners = new Set<() => void>();

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** Everything that a key does at the moment, innermost view first, for the list behind `?`. */
export function activeShortcuts(): Shortcut[] {
  const seen = new Set<string>();
  return layers
    .toReversed()
    .flatMap(({ shortcuts }) => shortcuts)
    .filter(({ keys }) => !seen.has(keys) && seen.add(keys));
}

/** The keys for people: `⌘ K` or `Ctrl K`, `g then b`. */
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

/** Adds a view's shortcuts while it is shown. */
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
  // A text that is only shown takes the focus and the cursor, but nothing can be typed into it.
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

/** From one key of a sequence to the next, milliseconds. */
const SEQUENCE_TIMEOUT = 2500;

/** Listens for the keys of every layer. Returns its end. */
export function listenForShortcuts(target: Document): () => void {
  let first: { key: string; at: number } | undefined;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyName(event);
    if (key === '' || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
    const typing = isTyping(event.composedPath()[0] ?? event.target);
    // A dialog keeps its keys to itself.
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
