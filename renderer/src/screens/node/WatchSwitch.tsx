import { useEffect } from 'react';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { Switch } from '../../components/Field.tsx';
import { useWatch } from '../../components/WatchBadge.tsx';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';

const t = text.node;

/** The switch that submits a file on every save, with the options of its form. */
export function WatchSwitch({ id, path, options }: { id: number; path: string; options: SubmitOptions }) {
  const client = useBench();
  const watch = useWatch(id);
  const on = watch?.path === path;
  useEffect(() => {
    if (on) client.watchedFiles.setOptions(id, options);
  }, [client, id, on, options]);
  if (!client.desktop) return null;
  const change = async (wanted: boolean) => {
    try {
      await (wanted ? client.watchedFiles.watch(id, path, options) : client.watchedFiles.unwatch(id));
    } catch (error) {
      showRefusal(client, error);
    }
  };
  return (
    <Switch label={t.watch} hint={t.watchHint} checked={on} onChange={(wanted) => void change(wanted)} />
  );
}
