import { EmptyState } from '../components/Empty.tsx';
import { text } from '../text/text.ts';
import { href } from '../state/routes.ts';

export function NotFound() {
  return (
    <EmptyState
      icon="search"
      title={text.shell.notFound}
      action={<a href={href({ screen: 'bench' })}>{text.shell.toBench}</a>}
    >
      {text.shell.notFoundText}
    </EmptyState>
  );
}
