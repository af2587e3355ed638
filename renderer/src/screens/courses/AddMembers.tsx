import { useRef, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { TextAreaField } from '../../components/Field.tsx';
import { FileInput } from '../../components/FileInput.tsx';
import { useAct } from '../../state/actions/use-act.ts';
import { useBench } from '../../state/client/context.tsx';
import { explain } from '../../state/page/explain.ts';
import { text } from '../../text/text.ts';
import type { CourseDialogProps } from './course-props.ts';

const t = text.courses.add;

/** The list with a header line: names only need none. */
export const withHeader = (list: string): string =>
  /^\uFEFF?(?:[^\n]*[,;])?\s*"?name"?\s*(?:[,;\r\n]|$)/i.test(list) ? list : `name\n${list}`;

/** Adds members from a pasted list or a file. The service adds all or none, and names the lines that it cannot read. */
export function AddMembers({ course, reload, onClose }: CourseDialogProps) {
  const { service } = useBench();
  const input = useRef<HTMLInputElement>(null);
  const [list, setList] = useState('');
  const { busy, error, act } = useAct(reload, { inline: true });
  const [problem, setProblem] = useState<string>();
  const put = (value: string) => {
    setProblem(undefined);
    setList(value);
  };
  const read = async ([file]: File[]) => {
    if (!file) return;
    try {
      put(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()));
    } catch {
      setProblem(t.notUtf8(file.name));
    }
  };
  const add = () =>
    act(async () => {
      const { added, present } = await service.addMembers(
        { course_id: course.course_id, body: withHeader(list) },
        { headers: { 'content-type': 'text/csv; charset=utf-8' } },
      );
      onClose();
      return t.added(added.length, present.length);
    });
  return (
    <Dialog
      title={t.title}
      size="medium"
      onClose={onClose}
      actions={
        <>
          <Button icon="file" onClick={() => input.current?.click()}>
            {t.file}
          </Button>
          <Button kind="primary" busy={busy} disabled={busy || list.trim() === ''} onClick={() => void add()}>
            {t.add}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextAreaField
          label={t.list}
          hint={t.hint}
          problem={problem ?? (error === undefined ? undefined : explain(error).message)}
          rows={10}
          data-first-focus=""
          value={list}
          onChange={(event) => put(event.target.value)}
        />
        <FileInput
          input={input}
          accept=".csv,.txt,text/csv,text/plain"
          onFiles={(files) => void read(files)}
        />
      </div>
    </Dialog>
  );
}
