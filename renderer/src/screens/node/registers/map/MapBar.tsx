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
import { mapExports } from './map-export.ts';
import {
  exchangeMap,
  importAtBench,
  type MappedDesign,
  removeMap,
  renameMap,
  useMaps,
  viewOf,
} from './map-store.ts';
import { isMapName, type RegisterMap } from './register-map.ts';
import './map.css';

const t = text.registers.map;
const LARGEST = 4 << 20;
/** Maximum problems to show of a file. */
const MAX_PROBLEMS = 8;

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

  const { id } = design;
  const take = async (id: string, chosen: File) => {
    if (chosen.size > LARGEST) {
      setProblems({ title: t.refused(chosen.name), list: [t.tooLarge(formatBytes(chosen.size))] });
      return;
    }
    try {
      const { map, warnings } = await importAtBench(client, { ...design, id }, await chosen.text());
      setProblems(
        warnings.length === 0
          ? undefined
          : { title: t.notRead(chosen.name), list: warnings.map(placed), tone: 'warn' },
      );
      showToast(client.toasts, { tone: 'good', text: t.imported(map.name, map.registers.length) });
    } catch (error) {
      const list = error instanceof ServiceError ? error.fields : [];
      if (list.length === 0) showRefusal(client, error);
      else setProblems({ title: t.refused(chosen.name), list: list.slice(0, MAX_PROBLEMS).map(placed) });
    }
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
    { label: t.import, run: () => file.current?.click(), disabled: id === undefined },
    ...(inUse
      ? [
          ...mapExports(client, inUse, design, id !== undefined && Boolean(state.kept[id])),
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
        onFiles={([chosen]) => chosen && id !== undefined && void take(id, chosen)}
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
