import { useRef, useState } from 'react';
import { Button } from '../../../../components/Button.tsx';
import { TextField } from '../../../../components/Field.tsx';
import { FileInput } from '../../../../components/FileInput.tsx';
import { parseWord } from '../../../../format/words.ts';
import { text } from '../../../../text/text.ts';

const t = text.registers.memory;

interface Props {
  ready: boolean;
  onFill(word: number): void;
  onFile(file: File, act: 'write' | 'compare'): void;
}

/** Tools that change or compare a range: fill, and files of words. */
export function MemoryTools({ ready, onFill, onFile }: Props) {
  const [value, setValue] = useState('0');
  const file = useRef<HTMLInputElement | null>(null);
  const act = useRef<'write' | 'compare'>('compare');
  const word = parseWord(value);
  const choose = (wanted: 'write' | 'compare') => {
    act.current = wanted;
    file.current?.click();
  };
  return (
    <form
      className="registers-head memory-bar"
      aria-label={t.tools}
      onSubmit={(event) => {
        event.preventDefault();
        if (word !== null) onFill(word);
      }}
    >
      <TextField
        label={t.fillWith}
        className="mono memory-from"
        value={value}
        aria-invalid={word === null || undefined}
        onChange={(event) => setValue(event.target.value)}
      />
      <Button type="submit" disabled={!ready || word === null} title={t.fillHint}>
        {t.fill}
      </Button>
      <span className="push" />
      <Button icon="upload" disabled={!ready} title={t.filesHint} onClick={() => choose('write')}>
        {t.writeFile}
      </Button>
      <Button icon="compare" disabled={!ready} title={t.filesHint} onClick={() => choose('compare')}>
        {t.compareFile}
      </Button>
      <FileInput
        input={file}
        data-memory-file=""
        accept=".bin,.hex,.ihex,.ihx,.mem,.memh,.txt,.dat"
        onFiles={([chosen]) => chosen && onFile(chosen, act.current)}
      />
    </form>
  );
}
