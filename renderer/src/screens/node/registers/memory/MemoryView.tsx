import { useVirtualizer } from '@tanstack/react-virtual';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { copyPlain, saveFile } from '../../../../components/clipboard.ts';
import { EmptyState } from '../../../../components/Empty.tsx';
import { TextField } from '../../../../components/Field.tsx';
import { hexAddress, parseAddress, parseWord } from '../../../../format/words.ts';
import { showRefusal } from '../../../../state/actions.ts';
import { useBench } from '../../../../state/context.tsx';
import { showToast } from '../../../../state/toasts.ts';
import { runTransaction } from '../../../../state/transactions.ts';
import { text } from '../../../../text/text.ts';
import { asciiOf, compared, dumpBytes, dumpName, dumpText, dumpWord, type MemoryImage } from './memory.ts';
import { memoryViews, setMemoryView } from './memory-views.ts';
import './memory.css';

const t = text.registers.memory;
const ROW = 22;
/** Words of one burst: short enough that a large range can be stopped, and shows how far it is. */
const CHUNK = 4096;
const WORDS_PER_ROW = [16, 8, 4, 2, 1];

/** How many words, with their characters, fit in a row of so many pixels: widths are those of the style sheet. */
function wordsThatFit(width: number, address: number): number {
  const character = 7.6;
  const digits = hexAddress(address).length;
  return WORDS_PER_ROW.find((words) => 80 + character * (digits + 14 * words) <= width) ?? 1;
}

/** A range of words as a hex dump. */
export default function MemoryView({ node, ready, most }: { node: number; ready: boolean; most: number }) {
  const client = useBench();
  const kept = memoryViews.get(node);
  const [from, setFrom] = useState(kept?.from ?? '0x0000');
  const [count, setCount] = useState(kept?.count ?? '64');
  const [wanted, setWanted] = useState(0);
  const [fitting, setFitting] = useState(4);
  const perRow = wanted || fitting;
  const [image, setImage] = useState<MemoryImage | undefined>(kept?.image);
  const [progress, setProgress] = useState<{ done: number; all: number } | undefined>();
  const [problems, setProblems] = useState<{ from?: string; count?: string }>({});
  const stop = useRef(false);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: image ? Math.ceil(image.words.length / perRow) : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 16,
  });

  const place = image?.address;
  useEffect(() => {
    const element = scroller.current;
    if (!element || place === undefined) return;
    const sizes = new ResizeObserver(() => setFitting(wordsThatFit(element.clientWidth, place)));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [place]);

  const read = async (event: FormEvent) => {
    event.preventDefault();
    const begin = parseAddress(from);
    const words = parseWord(count);
    if ('problem' in begin) {
      const { unaligned, address } = text.registers.map.problems;
      setProblems({ from: begin.problem === 'unaligned' ? unaligned(from) : address(from) });
      return;
    }
    if (words === null || words < 1 || words > most) {
      setProblems({ count: t.badCount(most) });
      return;
    }
    if (begin.address + 4 * words > 2 ** 32) {
      setProblems({ count: text.registers.problems.range });
      return;
    }
    setProblems({});
    stop.current = false;
    const taken: number[] = [];
    try {
      while (taken.length < words && !stop.current) {
        setProgress({ done: taken.length, all: words });
        const address = begin.address + 4 * taken.length;
        const { state, data, failure } = await runTransaction(client, node, {
          op: 2,
          address,
          count: Math.min(CHUNK, words - taken.length),
        });
        if (state !== 'ok') {
          showToast(client.toasts, { tone: 'bad', text: failure?.message ?? t.noAck(hexAddress(address)) });
          break;
        }
        for (const word of data) taken.push(word);
      }
    } catch (error) {
      showRefusal(client, error);
    }
    setProgress(undefined);
    if (taken.length === 0) return;
    const next = compared(begin.address, taken, image);
    setImage(next);
    setMemoryView(node, { from, count, image: next });
  };
  return (
    <section className="registers-side" aria-label={text.registers.viewNames.memory}>
      <form className="registers-head memory-bar" onSubmit={(event) => void read(event)}>
        <TextField
          label={t.from}
          className="mono memory-from"
          value={from}
          problem={problems.from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <TextField
          label={t.words}
          className="mono memory-count"
          value={count}
          problem={problems.count}
          onChange={(event) => setCount(event.target.value)}
        />
        {progress ? (
          <>
            <Button icon="close" onClick={() => (stop.current = true)}>
              {t.stop}
            </Button>
            <span className="muted num" role="status">
              {t.reading(progress.done, progress.all)}
            </span>
          </>
        ) : (
          <Button type="submit" disabled={!ready}>
            {t.read}
          </Button>
        )}
        <label className="row push">
          <span className="muted">{t.perRow}</span>
          <select
            className="input memory-per-row"
            value={wanted}
            onChange={(event) => setWanted(Number(event.target.value))}
          >
            <option value={0}>{t.fit}</option>
            {WORDS_PER_ROW.map((words) => (
              <option key={words}>{words}</option>
            ))}
          </select>
        </label>
        {image && (
          <span className="row">
            <IconButton
              icon="copy"
              label={t.copy}
              onClick={async () => {
                const done = await copyPlain(dumpText(image, perRow));
                showToast(client.toasts, {
                  tone: done ? 'good' : 'bad',
                  text: done ? t.copied : text.notCopied,
                });
              }}
            />
            <IconButton
              icon="file"
              label={t.saveText}
              onClick={() =>
                void saveFile(`${dumpName(node, image)}.txt`, dumpText(image, perRow), 'text/plain')
              }
            />
            <IconButton
              icon="download"
              label={t.saveBinary}
              onClick={() =>
                void saveFile(
                  `${dumpName(node, image)}.bin`,
                  dumpBytes(image.words),
                  'application/octet-stream',
                )
              }
            />
          </span>
        )}
      </form>
      {!image ? (
        <EmptyState icon="boards" title={t.none}>
          {t.noneText}
        </EmptyState>
      ) : (
        <>
          {image.changed.size > 0 && (
            <p className="memory-diff" role="status">
              <span aria-hidden="true">●</span> {t.diff(image.changed.size)}
            </p>
          )}
          <section
            ref={scroller}
            className="memory"
            aria-label={t.dump}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
            tabIndex={0}
          >
            <ol className="memory-rows" style={{ height: rows.getTotalSize() }}>
              {rows.getVirtualItems().map(({ index, start }) => {
                const first = index * perRow;
                const words = image.words.slice(first, first + perRow);
                return (
                  <li key={index} className="memory-row" style={{ transform: `translateY(${start}px)` }}>
                    <span className="memory-place">{hexAddress(image.address + 4 * first)}</span>
                    <span className="memory-words">
                      {words.map((word, at) => (
                        <span
                          // biome-ignore lint/suspicious/noArrayIndexKey: a word's place is what it is
                          key={at}
                          className={
                            image.changed.has(first + at)
                              ? 'memory-changed'
                              : word === 0
                                ? 'memory-zero'
                                : undefined
                          }
                          title={image.changed.has(first + at) ? text.registers.changed : undefined}
                        >
                          {dumpWord(word)}
                        </span>
                      ))}
                    </span>
                    <span className="memory-ascii">{words.map(asciiOf).join('')}</span>
                  </li>
                );
              })}
            </ol>
          </section>
        </>
      )}
    </section>
  );
}
