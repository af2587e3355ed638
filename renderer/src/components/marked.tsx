import type { ReactNode } from 'react';

/** A text with marked matches of a query, ignoring case. */
export function marked(part: string, query: string): ReactNode {
  if (query === '') return part;
  const pieces: ReactNode[] = [];
  const lower = part.toLowerCase();
  const wanted = query.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    if (at > from) pieces.push(part.slice(from, at));
    pieces.push(<mark key={at}>{part.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  pieces.push(part.slice(from));
  return pieces;
}
