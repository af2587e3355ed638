// The page for an address without a screen.
import { EmptyState } from '../components/Empty.tsx';
import { href } from '../state/page/routes.ts';
import { text } from '../text/text.ts';

export default function NotFound() {
  return (
    <EmptyState
      page
      icon="search"
      title={text.shell.notFound}
      action={<a href={href({ kind: 'bench' })}>{text.shell.toBench}</a>}
      text={text.shell.notFoundText}
    />
  );
}
