import type { ReactNode } from 'react';
import './markdown.css';

const MARK = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^\s)]+)\)/g;
/** Only these addresses become links: a text must not run code. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|#\/)/i;

function inline(line: string): ReactNode[] {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const match of line.matchAll(MARK)) {
    const [whole, code, bold, label, address = ''] = match;
    if (label !== undefined && !SAFE_ADDRESS.test(address)) continue;
    pieces.push(line.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) pieces.push(<code key={at}>{code}</code>);
    else if (bold !== undefined) pieces.push(<strong key={at}>{bold}</strong>);
    else
      pieces.push(
        <a key={at} href={address} rel="noreferrer" target="_blank">
          {label}
        </a>,
      );
  }
  return [...pieces, line.slice(at)];
}

type Kind = 'empty' | 'heading' | 'ul' | 'ol' | 'p';

const HEADING = /^(#{1,3})\s+/;
const ITEM = /^\s*(?:[-*]|\d+[.)])\s+/;

function kindOf(line: string): Kind {
  if (line.trim() === '') return 'empty';
  if (HEADING.test(line)) return 'heading';
  if (ITEM.test(line)) return /^\s*\d/.test(line) ? 'ol' : 'ul';
  return 'p';
}

/** The elements of text without code blocks. Lines of one kind belong together. */
function blocksOf(text: string): ReactNode[] {
  const groups: { kind: Kind; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const kind = kindOf(line);
    const open = groups.at(-1);
    if (open?.kind === kind && kind !== 'heading') open.lines.push(line);
    else groups.push({ kind, lines: [line] });
  }
  return groups.map(({ kind: Kind, lines }, key) => {
    const [first = ''] = lines;
    // The page has the levels above.
    const Heading = (['h4', 'h5', 'h6'] as const)[(HEADING.exec(first)?.[1]?.length ?? 1) - 1] ?? 'h6';
    if (Kind === 'empty') return null;
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the lines of a text never move
    if (Kind === 'heading') return <Heading key={key}>{inline(first.replace(HEADING, ''))}</Heading>;
    if (Kind === 'p') return <p key={key}>{inline(lines.join(' '))}</p>;
    return (
      <Kind key={key}>
        {lines.map((line, at) => (
          <li key={at}>{inline(line.replace(ITEM, ''))}</li>
        ))}
      </Kind>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
  });
}

/** Headings, lists, code, bold and links of Markdown; anything else is text, and nothing is HTML. */
export function Markdown({ text }: { text: string }) {
  // Fences alternate: text, code, text, code …
  const parts = text.replaceAll('\r\n', '\n').split(/^```.*$\n?/m);
  return (
    <div className="markdown">
      {parts.map((part, key) =>
        key % 2 === 0 ? (
          blocksOf(part)
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <pre key={key}>
            <code>{part.replace(/\n$/, '')}</code>
          </pre>
        ),
      )}
    </div>
  );
}
