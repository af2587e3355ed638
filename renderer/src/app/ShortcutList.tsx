import { Dialog } from '../components/Dialog.tsx';
import { activeShortcuts, type Shortcut } from '../components/shortcuts.ts';
import { text } from '../text/text.ts';
import { Keys } from './Keys.tsx';

/** The list shows the ten keys of the ten nodes as one line. */
function condensed(shortcuts: readonly Shortcut[]): { keys: string; label: string; group: string }[] {
  const digits = shortcuts.filter(({ keys }) => /^\d$/.test(keys));
  const others = shortcuts.filter(({ keys }) => !/^\d$/.test(keys));
  if (digits.length < 10) return [...shortcuts];
  return [{ keys: '0–9', label: text.bench.nodes, group: text.shell.shortcutGroups.go }, ...others];
}

export default function ShortcutList({ onClose }: { onClose(): void }) {
  const shortcuts = condensed(activeShortcuts());
  const groups = [...new Set(shortcuts.map(({ group }) => group))];
  return (
    <Dialog title={text.shell.shortcuts} onClose={onClose} size="medium">
      <div className="shortcuts">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts
                .filter((shortcut) => shortcut.group === group)
                .map(({ keys, label }) => (
                  <div key={keys}>
                    <dt>
                      <Keys keys={keys} />
                    </dt>
                    <dd>{label}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
