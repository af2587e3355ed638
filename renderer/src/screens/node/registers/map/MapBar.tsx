// The bar of the register map.
import { useRef, useState } from 'react';
import { ServiceError } from '../../../../../../server/contract/client/failures.ts';
import type { FieldProblem as SentProblem } from '../../../../../../server/contract/failures.ts';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { Dialog } from '../../../../components/Dialog.tsx';
import { TextField } from '../../../../components/Field.tsx';
import { FileInput } from '../../../../components/FileInput.tsx';
import { Menu } from '../../../../components/Menu.tsx';
import { formatBytes } from '../../../../format/size.ts';
import { showRefusal } from '../../../../state/actions/actions.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { askFirst } from '../../../../state/page/dialogs.ts';
import { showToast } from '../../../../state/page/toasts.ts';
import { text } from '../../../../text/text.ts';
import { mapFromCsv } from './map-csv.ts';
import { mapExports } from './map-export.ts';
import { type FileProblem, MAX_PROBLEMS, mapFromJson } from './map-json.ts';
import {
  exchangeMap,
  freeName,
  importAtBench,
  type MappedDesign,
  mapsOf,
  removeMap,
  renameMap,
  useMaps,
  viewOf,
} from './map-store.ts';
import { isMapName, type RegisterMap } from './register-map.ts';
import './map.css';

const t = text.registers.map;
const LARGEST = 4 << 20;
/** XML, and files of LiteX. */
const OF_OTHER_TOOLS = /^\s*<|"csr_registers"|^(?:csr_base|csr_register|memory_region),/m;

/** A problem of a file with its place, as a sentence. */
export const sentenceOf = ({ where, problem, what }: FileProblem): string => {
  const sentence = t.problems[problem](what);
  return where === '' ? sentence : `${typeof where === 'number' ? t.line(where) : where}: ${sentence}`;
};

/** A problem from the bench, after its place. */
const placed = ({ loc, msg }: SentProblem): string => [...loc.slice(1), msg].join(': ');

function RenameDialog({
  name,
  onRename,
  onClose,
}: {
  name: string;
  onRename(to: string): void;
  onClose(): void;
}) {
  const { maps } = useMaps();
  const [value, setValue] = useState(name);
  const wanted = value.trim();
  const problem = !isMapName(wanted)
    ? t.problems['map-name']()
    : wanted !== name && wanted in maps
      ? t.nameTaken
      : undefined;
  return (
    <Dialog
      title={t.rename}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit" form="map-name" disabled={problem !== undefined}>
            {t.save}
          </Button>
        </>
      }
    >
      <form
        id="map-name"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem) return;
          onRename(wanted);
          onClose();
        }}
      >
        <TextField
          label={text.registers.name}
          value={value}
          problem={problem}
          data-first-focus=""
          onChange={(event) => setValue(event.target.value)}
        />
      </form>
    </Dialog>
  );
}

/** The register map of a design: choose, rename, import and export. */
export function MapBar({ design, onAdd }: { design: MappedDesign; onAdd(): void }) {
  const client = useBench();
  const state = useMaps();
  const { inUse } = viewOf(state, design);
  const names = new Set([...Object.keys(state.maps), ...(inUse ? [inUse.name] : [])]);
  const file = useRef<HTMLInputElement | null>(null);
  const [problems, setProblems] = useState<{ title: string; list: string[]; tone?: 'warn' } | undefined>();
  const [renaming, setRenaming] = useState(false);

  const take = async (chosen: File) => {
    if (chosen.size > LARGEST) {
      setProblems({ title: t.refused(chosen.name), list: [t.tooLarge(formatBytes(chosen.size))] });
      return;
    }
    const contents = await chosen.text();
    const { id } = design;
    if (id !== undefined && OF_OTHER_TOOLS.test(contents)) {
      // The bench knows more formats than the page.
      try {
        const { map, warnings } = await importAtBench(client, { ...design, id }, contents);
        setProblems(
          warnings.length === 0
            ? undefined
            : { title: t.notRead(chosen.name), list: warnings.map(placed), tone: 'warn' },
        );
        showToast(client.toasts, { tone: 'good', text: t.imported(map.name, map.registers.length) });
      } catch (error) {
        const list = error instanceof ServiceError ? (error.fields ?? []) : [];
        if (list.length === 0) showRefusal(client, error);
        else setProblems({ title: t.refused(chosen.name), list: list.slice(0, MAX_PROBLEMS).map(placed) });
      }
      return;
    }
    const plainName = chosen.name.replace(/\.[^.]*$/, '').slice(0, 60) || design.name;
    const json = /\.json$/i.test(chosen.name) || /^\s*[{[]/.test(contents);
    const read = json ? mapFromJson(contents) : mapFromCsv(contents, plainName);
    if ('problems' in read) {
      const list = read.problems.slice(0, MAX_PROBLEMS).map(sentenceOf);
      if (read.problems.length > list.length) list.push(t.moreProblems(read.problems.length - list.length));
      setProblems({ title: t.refused(chosen.name), list });
      return;
    }
    // An existing map stays: the imported one gets a free name.
    const map = { ...read.map, name: freeName(mapsOf(client).getState(), read.map.name) };
    setProblems(undefined);
    if (!(await exchangeMap(client, design, map))) return;
    showToast(client.toasts, { tone: 'good', text: t.imported(map.name, map.registers.length) });
  };
  const remove = (map: RegisterMap) =>
    askFirst(client.questions, {
      title: t.removeTitle(map.name),
      text: t.removeText(map.registers.length),
      confirm: t.remove,
      run: () => void removeMap(client, design),
    });
  const items = () => [
    { label: t.add, run: onAdd },
    { label: t.import, run: () => file.current?.click() },
    ...(inUse
      ? [
          ...mapExports(client, inUse, design, design.id !== undefined && Boolean(state.kept[design.id])),
          { label: t.rename, run: () => setRenaming(true) },
          { label: t.remove, run: () => remove(inUse) },
        ]
      : []),
  ];
  return (
    <div className="map-bar">
      <select
        className="input map-select"
        aria-label={t.label}
        value={inUse?.name ?? ''}
        onChange={(event) => void exchangeMap(client, design, state.maps[event.target.value])}
      >
        <option value="">{t.none}</option>
        {[...names].sort().map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <Menu icon="down" label={t.menu} items={items} />
      <FileInput
        input={file}
        data-map-file=""
        accept=".json,.csv,.svd,.xml,application/json,text/csv,application/xml"
        onFiles={([chosen]) => chosen && void take(chosen)}
      />
      {problems && (
        <div className="map-problems" data-tone={problems.tone} role="alert">
          <p>
            <strong>{problems.title}</strong>
          </p>
          <ul>
            {problems.list.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          <IconButton icon="close" label={text.close} onClick={() => setProblems(undefined)} />
        </div>
      )}
      {renaming && inUse && (
        <RenameDialog
          name={inUse.name}
          onRename={(to) => void renameMap(client, design, to)}
          onClose={() => setRenaming(false)}
        />
      )}
    </div>
  );
}
