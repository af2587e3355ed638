/** The focused element, also inside shadow roots: `document` names only the host of the root. */
export function focusedElement(): HTMLElement | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement ? element : null;
}

/** Whether an element is rendered: hidden elements cannot take the focus. */
export const isShown = (element: HTMLElement): boolean => element.getClientRects().length > 0;
