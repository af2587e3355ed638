import { type FormEvent, useRef, useState } from 'react';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { copyWithToast, saveFile } from '../../../../components/clipboard.ts';
import { EmptyState } from '../../../../components/Empty.tsx';
import { TextField } from '../../../../components/Field.tsx';
import { hexAddress, parseAddress, parseWord } from '../../../../format/words.ts';
import { showRefusal } from '../../../../state/actions/actions.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { showToast } from '../../../../state/page/toasts.ts';
import { text } from '../../../../text/text.ts';
import { keepView, storedView } from '../session-view.ts';
import { MemoryDump } from './MemoryDump.tsx';
import { MemoryTools } from './MemoryTools.tsx';
import { compared, comparedWith, dumpBytes, dumpName, dumpText, type MemoryImage } from './memory.ts';
import { readRange, TransferError, type TransferOptions, writeRange } from './transfer.ts';
import { readWordFile, type Segment } from './word-file.ts';

/** Node → its last image, for the next opening of the view. */
const memoryViews = new Map<number, MemoryImage>();

import './memory.css';

const t = text.registers.memory;
const WORDS_PER_ROW = [16, 8, 4, 2, 1];

/** The words that fit in a row, with their characters; the style sheet has the widths. */
function wordsThatFit(width: number, address: number): number {
  const character = 7.6;
  const digits = hexAddress(address).length;
  return WORDS_PER_ROW.find((words) => 80 + character * (digits + 14 * words) <= width) ?? 1;
}

interface Props {
  node: number;
  design: string;
  ready: boolean;
  /** Maximum words of a transaction, and of a range. */
  most: number;
}

/** The sentence and progress of a transfer. */
interface Progress {
  says: (done: number, all: number) => string;
  done: number;
  all: number;
}

/** The memory view: reads a range as a hex dump, edits and fills it, writes it from a file or compares it. */
export default function MemoryView({ node, design, ready, most }: Props) {
  const client = useBench();
  const kept = storedView(client, node, design);
  const [from, setFrom] = useState(kept.from || '0x0000');
  const [count, setCount] = useState(kept.words || '64');
  const [wanted, setWanted] = useState(0);
  const [fitting, setFitting] = useState(4);
  const [chosen, setChosen] = useState(0);
  const perRow = wanted || fitting;
  const [image, setImage] = useState<MemoryImage | undefined>(memoryViews.get(node));
  const [progress, setProgress] = useState<Progress | undefined>();
  const [problems, setProblems] = useState<{ from?: string; count?: string }>({});
  const [notice, setNotice] = useState<{ text: string; bad: boolean } | undefined>();
  const stop = useRef<AbortController | undefined>(undefined);

  const show = (next: MemoryImage) => {
    setImage(next);
    memoryViews.set(node, next);
  };
  /** The range in the fields; shows their problems otherwise. */
  const range = (): { address: number; words: number } | undefined => {
    const begin = parseAddress(from);
    const words = parseWord(count);
    if ('problem' in begin) {
      const { unaligned, address } = text.registers.map.problems;
      setProblems({ from: begin.problem === 'unaligned' ? unaligned(from) : address(from) });
      return undefined;
    }
    if (words === null || words < 1 || words > most) {
      setProblems({ count: t.badCount(most) });
      return undefined;
    }
    if (begin.address + 4 * words > 2 ** 32) {
      setProblems({ count: text.registers.problems.range });
      return undefined;
    }
    setProblems({});
    keepView(client, node, design, { from, words: count });
    return { address: begin.address, words };
  };
  const failed = ({ address, message }: TransferError) =>
    showToast(client.toasts, { tone: 'bad', text: t.noAck(hexAddress(address)), remedy: message });
  /** Runs a transfer with progress and a stop button. */
  const during = async (
    says: Progress['says'],
    all: number,
    act: (options: TransferOptions) => Promise<void>,
  ) => {
    const abort = new AbortController();
    stop.current = abort;
    setNotice(undefined);
    setProgress({ says, done: 0, all });
    try {
      await act({
        ...{ client, node, signal: abort.signal },
        onProgress: (done) => setProgress((now) => now && { ...now, done }),
      });
    } catch (error) {
      if (error instanceof TransferError) failed(error);
      else showRefusal(client, error);
    }
    setProgress(undefined);
  };
  const read = (event: FormEvent) => {
    event.preventDefault();
    const place = range();
    if (!place) return;
    void during(t.reading, place.words, async (options) => {
      const words = await readRange(options, place.address, place.words, failed);
      if (words.length > 0) show(compared(place.address, words, image));
    });
  };
  const writeWord = async (index: number, word: number) => {
    if (!image) return;
    const address = image.address + 4 * index;
    await during(t.writing, 1, async (options) => {
      await writeRange(options, address, [word]);
      // Read the word back: the memory may not hold what was sent.
      const [now = word] = await readRange(options, address, 1, failed);
      const words = image.words.with(index, now);
      show({ ...compared(image.address, words, image), ...(image.wanted && { wanted: image.wanted }) });
    });
  };
  const fill = (word: number) => {
    const place = range();
    if (!place) return;
    void during(t.writing, place.words, async (options) => {
      const data = new Array<number>(place.words).fill(word);
      const done = await writeRange(options, place.address, data);
      const words = await readRange(options, place.address, done, failed);
      if (words.length > 0) show(compared(place.address, words, image));
      setNotice({ text: t.written(done), bad: false });
    });
  };
  /** Reads the words of a file from memory and marks the differences. */
  const compare = async (
    options: TransferOptions,
    name: string,
    address: number,
    segments: readonly Segment[],
  ) => {
    const last = segments.at(-1);
    if (!last) return;
    const first = segments[0]?.offset ?? 0;
    const begin = address + first;
    const words = await readRange(options, begin, (last.offset - first) / 4 + last.words.length, failed);
    if (words.length === 0) return;
    const next = comparedWith(begin, words, segments, address);
    show(next);
    const differ = next.wanted?.size ?? 0;
    setNotice({ text: differ === 0 ? t.same(name) : t.differ(differ, name), bad: differ > 0 });
    const [place] = next.wanted?.keys() ?? [];
    if (place !== undefined) setChosen(place);
  };
  const takeFile = async (file: File, act: 'write' | 'compare') => {
    const place = parseAddress(from);
    if ('problem' in place) {
      range();
      return;
    }
    const contents = readWordFile(file.name, new Uint8Array(await file.arrayBuffer()));
    if ('problem' in contents) {
      setNotice({ text: t.fileProblem(file.name, contents.problem), bad: true });
      return;
    }
    const { segments } = contents;
    const all = segments.reduce((sum, { words }) => sum + words.length, 0);
    const end = (segments.at(-1)?.offset ?? 0) + 4 * (segments.at(-1)?.words.length ?? 0);
    if (place.address + end > 2 ** 32) {
      setNotice({ text: text.registers.problems.range, bad: true });
      return;
    }
    await during(act === 'write' ? t.writing : t.reading, all, async (options) => {
      let before = 0;
      if (act === 'write')
        for (const { offset, words } of segments) {
          const done = before;
          const onProgress = (now: number) => options.onProgress(done + now);
          before += await writeRange({ ...options, onProgress }, place.address + offset, words);
        }
      if (!options.signal.aborted) await compare(options, file.name, place.address, segments);
    });
  };
  const nextDifference = () => {
    const places = [...(image?.wanted?.keys() ?? [])];
    const next = places.find((one) => one > chosen) ?? places[0];
    if (next !== undefined) setChosen(next);
  };
  return (
    <section className="registers-side" aria-label={text.registers.viewNames.memory}>
      <form className="registers-head memory-bar" onSubmit={read}>
        <TextField
          label={t.from}
          className="mono memory-from"
          data-search=""
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
            <Button icon="stop" onClick={() => stop.current?.abort()}>
              {t.stop}
            </Button>
            <span className="muted num" role="status">
              {progress.says(progress.done, progress.all)}
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
              onClick={() => void copyWithToast(client.toasts, dumpText(image, perRow), t.copied)}
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
      <MemoryTools
        ready={ready && progress === undefined}
        onFill={fill}
        onFile={(file, act) => void takeFile(file, act)}
      />
      {notice && (
        <p className={`memory-told ${notice.bad ? 'text-bad' : ''}`} role="status">
          {notice.text}
          {image?.wanted && image.wanted.size > 0 && (
            <Button kind="quiet" onClick={nextDifference}>
              {t.nextDifference}
            </Button>
          )}
        </p>
      )}
      {!image ? (
        <EmptyState icon="boards" title={t.none} text={t.noneText} />
      ) : (
        <>
          {image.changed.size > 0 && (
            <p className="memory-diff" role="status">
              <span aria-hidden="true">●</span> {t.diff(image.changed.size)}
            </p>
          )}
          <MemoryDump
            image={image}
            perRow={perRow}
            ready={ready && progress === undefined}
            chosen={Math.min(chosen, image.words.length - 1)}
            onChoose={setChosen}
            onWrite={writeWord}
            onWidth={(width) => setFitting(wordsThatFit(width, image.address))}
          />
        </>
      )}
    </section>
  );
}
