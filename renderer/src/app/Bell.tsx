// The bell in the top bar; the list of notices behind it loads after the first page.
import { Suspense } from 'react';
import { Icon } from '../components/Icon.tsx';
import { lazyComponent } from '../components/lazy-component.tsx';
import { useBenchStore } from '../state/client/context.tsx';
import { countUnseen } from '../state/page/notices.ts';
import { text } from '../text/text.ts';
import './bell.css';

const NoticeList = lazyComponent(() => import('./NoticeList.tsx'));

const t = text.notices;

/** Most of them are a number on the bell; the list has all. */
const MAX_SHOWN = 9;

/** Opens the list of notices; shows how many are new. */
export function Bell({ open, onOpen, onClose }: { open: boolean; onOpen(): void; onClose(): void }) {
  const unseen = useBenchStore((of) => of.notices, countUnseen);
  return (
    <>
      <button
        type="button"
        className="bell"
        aria-haspopup="dialog"
        aria-label={t.bell(unseen)}
        title={t.bell(unseen)}
        onClick={onOpen}
      >
        <Icon name="bell" />
        {unseen > 0 && (
          <span className="bell-count" aria-hidden="true">
            {unseen > MAX_SHOWN ? `${MAX_SHOWN}+` : unseen}
          </span>
        )}
      </button>
      <Suspense fallback={null}>{open && <NoticeList onClose={onClose} />}</Suspense>
    </>
  );
}
