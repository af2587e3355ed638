import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useBench, useBenchStore, usePreference } from '../../state/client/context.tsx';
import { showRefusal } from '../../state/client/refusal.ts';
import { text } from '../../text/text.ts';

const t = text.bench;

/** The offer to run the example, while this bench has built nothing: one click to a word read back from a design. */
export function FirstRun() {
  const client = useBench();
  const dismissed = usePreference('hintDismissed');
  const loaded = useBenchStore(
    ({ jobs }) => jobs,
    (state) => state.loaded,
  );
  const fresh = useBenchStore(
    ({ jobs }) => jobs,
    ({ byId }) => byId.size === 0,
  );
  if (dismissed || !loaded || !fresh) return null;
  // Transactions load here: the first page needs none.
  const run = () =>
    import('../../state/drafts/first-run.ts').then(
      ({ runFirstExample }) => runFirstExample(client),
      (error: unknown) => showRefusal(client, error),
    );
  return (
    <aside className="first">
      <Icon name="play" size={20} />
      <div>
        <p className="first-title">{t.firstTitle}</p>
        <p className="muted">{t.firstText}</p>
      </div>
      <Button kind="primary" onClick={() => void run()}>
        {t.firstRun}
      </Button>
      <Button kind="quiet" onClick={() => client.preferences.setState({ hintDismissed: true })}>
        {t.firstDismiss}
      </Button>
    </aside>
  );
}
