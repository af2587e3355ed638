// Where the focus goes when the row that has it is removed.
import { focusedElement, isShown } from './focus.ts';

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';
const VIEW = 'main, dialog[open]';
/** Part of a view, around which the focus is not sought. */
const PART = 'section, article, form, dialog, [role="tabpanel"]';

/** Time for whoever removed the row to focus something else, ms. */
const GRACE_MS = 100;

/** A removed row and its place. */
interface Gap {
  row: Element;
  neighbours: readonly (Node | null)[];
  parent: Element;
}

const focusablesOf = (node: Node): HTMLElement[] =>
  node instanceof Element ? [...node.querySelectorAll<HTMLElement>(FOCUSABLE)] : [];

/**
 * The same control of the next row, else of the row before; else the first of what remains in that part of the view. No
 * text field: the keys of the shortcuts would go into it.
 */
function successorOf(lost: HTMLElement, { row, neighbours, parent }: Gap): HTMLElement | undefined {
  const ordinal = focusablesOf(row).indexOf(lost);
  for (const neighbour of neighbours) {
    const all = neighbour?.isConnected ? focusablesOf(neighbour) : [];
    const same = all[Math.min(ordinal, all.length - 1)];
    if (same?.tagName === lost.tagName && isShown(same)) return same;
  }
  const part = parent.closest(PART);
  return part ? focusablesOf(part).find((one) => one.matches('button, a') && isShown(one)) : undefined;
}

/**
 * Keeps the focus in a list when a row goes with the button that removed it, as long as the returned function is not
 * called. A view that was left takes its focus with it.
 */
export function keepFocus(): () => void {
  let focused: HTMLElement | null = null;
  const remember = () => {
    focused = focusedElement();
  };
  const observer = new MutationObserver((records) => {
    if (!focused || focused.isConnected) return;
    const lost = focused;
    focused = null;
    for (const { removedNodes, target, nextSibling, previousSibling } of records)
      for (const removed of removedNodes) {
        if (!(removed instanceof Element && target instanceof Element && removed.contains(lost))) continue;
        const row = lost.closest('li, tr');
        // The last row goes with its list. Where others go too, a view was left.
        const others = [...(row?.parentElement?.children ?? [])].filter((one) => one !== row);
        if (!row || (removed !== row && others.some((other) => focusablesOf(other).length > 0))) continue;
        const gap = {
          row,
          neighbours: removed === row ? [nextSibling, previousSibling] : [],
          parent: target,
        };
        setTimeout(() => {
          if (target.isConnected && target.parentElement?.closest(VIEW) && focusedElement() === document.body)
            successorOf(lost, gap)?.focus({ preventScroll: true });
        }, GRACE_MS);
      }
  });
  document.addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', remember);
    observer.disconnect();
  };
}
