import { Fragment } from 'react';
import { keyLabels } from '../components/shortcuts.ts';
import { text } from '../text/text.ts';

/** The keys of a shortcut, as they are written on a keyboard. */
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
