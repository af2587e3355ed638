/** Moves the focus through the cards by arrow keys, Home and End, in rows and columns. */
export function moveInRack(event: React.KeyboardEvent<HTMLElement>): void {
  const rack = event.currentTarget;
  const links = [...rack.querySelectorAll<HTMLElement>('.card-link, .strip-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (at === -1) return;
  const cards = [...rack.children] as HTMLElement[];
  const columns = Math.max(1, cards.filter((card) => card.offsetTop === cards[0]?.offsetTop).length);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  const to =
    event.key === 'Home' ? 0 : event.key === 'End' ? links.length - 1 : step === undefined ? -1 : at + step;
  const link = links[to];
  if (!link) return;
  event.preventDefault();
  link.focus();
}
