/** What has the focus, inside of shadow roots too: there `document` names only the element that holds the root. */
export function focusedElement(): HTMLElement | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement ? element : null;
}

/** Whether an element is drawn: what a narrow window hides cannot have the focus. */
export const isShown = (element: HTMLElement): boolean => element.getClientRects().length > 0;
