import { useEffect, useState } from 'react';
import type { WatchedFile } from '../../../../preload/bridge.ts';
import { Switch } from '../../components/Field.tsx';
import { useBench } from '../../state/context.tsx';
import { text } from '../../text/text.ts';

const t = text.node;

/** The desktop application submits a file again whenever it is saved, if asked to. */
export function WatchSwitch({ id, path }: { id: number; path: string }) {
  const { desktop } = useBench();
  const [watched, setWatched] = useState<WatchedFile[]>([]);
  useEffect(() => {
    if (!desktop) return;
    void desktop.watchedFiles().then(setWatched);
    return desktop.onWatchedFiles(setWatched);
  }, [desktop]);
  if (!desktop) return null;
  const own = watched.find(({ fpga_id }) => fpga_id === id);
  return (
    <Switch
      label={t.watch}
      hint={own ? `${own.path}: ${own.message}` : t.watchHint}
      checked={own?.path === path}
      onChange={(on) => void (on ? desktop.watchFile(id, path) : desktop.unwatchFile(id))}
    />
  );
}
