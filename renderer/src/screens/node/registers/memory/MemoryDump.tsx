import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useRows } from '../../../../components/use-rows.ts';
import { hexAddress, parseWord } from '../../../../format/words.ts';
import { text } from '../../../../text/text.ts';
import { asciiOf, dumpWord, type MemoryImage } from './memory.ts';

const t = text.registers.memory;
const ROW = 22;

interface Props {
  image: MemoryImage;
  perRow: number;
  ready: boolean;
  /** Index of the selected word, which the dump scrolls to. */
  chosen: number;
  onChoose(index: number): void;
  /** Writes a word; resolves when it is over, also after a failure. */
  onWrite(index: number, word: number): Promise<void>;
  /** Reports the new width of the dump, pixels. */
  onWidth(width: number): void;
}

/** A hex dump of a range. Arrow keys select a word, and Enter edits it in place. */
export function MemoryDump({ image, perRow, ready, chosen, onChoose, onWrite, onWidth }: Props) {
  const table = useRef<HTMLTableElement>(null);
  const [editing, setEditing] = useState<string | undefined>();
  const latestWidth = useRef(onWidth);
  latestWidth.current = onWidth;
  const count = Math.ceil(image.words.length / perRow);
  const { ref, drawn, show } = useRows({ count, row: ROW, beyond: 16 });
  useEffect(() => {
    const element = table.current?.parentElement;
    if (!element) return;
    const sizes = new ResizeObserver(() => latestWidth.current(element.clientWidth));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the word that was chosen is brought into sight, once
  useEffect(() => show(Math.floor(chosen / perRow), 'nearest'), [chosen, perRow]);
  const problem = editing !== undefined && parseWord(editing) === null;
  const begin = (first = '') => {
    if (ready) setEditing(first);
  };
  const leave = () => {
    setEditing(undefined);
    table.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (editing !== undefined) return;
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -perRow,
      ArrowDown: perRow,
      PageUp: -16 * perRow,
      PageDown: 16 * perRow,
    };
    const step = steps[event.key];
    if (step !== undefined) onChoose(Math.min(image.words.length - 1, Math.max(0, chosen + step)));
    else if (event.key === 'Home') onChoose(0);
    else if (event.key === 'End') onChoose(image.words.length - 1);
    else if (event.key === 'Enter') begin(`0x${dumpWord(image.words[chosen] ?? 0)}`);
    else return;
    event.preventDefault();
  };
  const write = async () => {
    const word = editing === undefined ? null : parseWord(editing);
    if (word === null) return;
    leave();
    await onWrite(chosen, word);
  };
  const above = ROW * (drawn[0] ?? 0);
  const below = ROW * (count - 1 - (drawn.at(-1) ?? -1));
  const cell = (at: number, word: number) => {
    const isChosen = at === chosen;
    if (isChosen && editing !== undefined)
      return (
        <td key={at} className="memory-editing">
          <input
            className="input mono"
            aria-label={t.wordAt(hexAddress(image.address + 4 * at))}
            aria-invalid={problem || undefined}
            // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here
            autoFocus
            value={editing}
            onFocus={(event) => event.target.select()}
            onChange={(event) => setEditing(event.target.value)}
            onBlur={() => setEditing(undefined)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') void write();
              else if (event.key === 'Escape') leave();
              else return;
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        </td>
      );
    const wanted = image.wanted?.get(at);
    const changed = image.changed.has(at);
    const marks = [
      changed ? 'memory-changed' : word === 0 ? 'memory-zero' : '',
      wanted === undefined ? '' : 'memory-differs',
      isChosen ? 'memory-chosen' : '',
    ];
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys, and the focus
      // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the cell of a grid can be chosen
      <td
        key={at}
        id={`word-${at}`}
        aria-selected={isChosen}
        className={marks.join(' ')}
        title={
          wanted !== undefined ? t.fileHas(dumpWord(wanted)) : changed ? text.registers.changed : undefined
        }
        onClick={() => onChoose(at)}
        onDoubleClick={() => begin(`0x${dumpWord(word)}`)}
      >
        {dumpWord(word)}
      </td>
    );
  };
  return (
    <div ref={ref} className="memory">
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are chosen with keys is a grid
        role="grid"
        ref={table}
        className="memory-rows"
        aria-label={t.dump}
        aria-rowcount={count}
        aria-activedescendant={editing === undefined ? `word-${chosen}` : undefined}
        tabIndex={0}
        title={ready ? t.editHint : undefined}
        onKeyDown={onKeyDown}
      >
        <tbody>
          {above > 0 && <tr style={{ height: above }} />}
          {drawn.map((index) => {
            const first = index * perRow;
            const words = image.words.slice(first, first + perRow);
            return (
              <tr key={index} aria-rowindex={index + 1}>
                <th scope="row" className="memory-place">
                  {hexAddress(image.address + 4 * first)}
                </th>
                {words.map((word, nth) => cell(first + nth, word))}
                {words.length < perRow && <td colSpan={perRow - words.length} />}
                <td className="memory-ascii">{words.map(asciiOf).join('')}</td>
              </tr>
            );
          })}
          {below > 0 && <tr style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}
