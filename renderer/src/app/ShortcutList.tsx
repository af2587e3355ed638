import { Fragment } from 'react';
import { Dialog } from '../components/Dialog.tsx';
import { activeShortcuts, keyLabels, type Shortcut } from '../components/shortcuts.ts';
import { text } from '../text/text.ts';

/** Ten keys for ten nodes are one line in the list. */
function condensed(shortcuts: readonly Shortcut[]): { keys: string; label: string; group: string }[] {
  const digits = shortcuts.filter(({ keys }) => /^\d$/.test(keys));
  const others = shortcuts.filter(({ keys }) => !/^\d$/.test(keys));
  if (digits.length < 10) return [...shortcuts];
  return [{ keys: '0–9', label: text.bench.nodes, group: text.shell.shortcutGroups.go }, ...others];
}

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keyLabels(keys).map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one shortcut never move
        <Fragment key={index}>
          {index > 0 && <span className="keys-then">{text.shell.thenKey}</span>}
          <kbd>{key}</kbd>
        </Fragment>
      ))}
    </span>
  );
}

export function ShortcutList({ onClose }: { onClose(): void }) {
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
