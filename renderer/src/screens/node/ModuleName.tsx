import { Button } from '../../components/Button.tsx';
import { text } from '../../text/text.ts';
import type { Place } from './place.ts';

/** The name of a module; a click shows its declaration, if known. */
export function ModuleName({
  name,
  file,
  line,
  onPlace,
}: {
  name: string;
  file?: string | undefined;
  line?: number | undefined;
  onPlace: ((place: Place) => void) | undefined;
}) {
  if (line === undefined || !onPlace) return <code>{name}</code>;
  return (
    <Button
      kind="quiet"
      className="mono module-name"
      title={text.node.declaredIn(file, line)}
      onClick={() => onPlace({ file, line })}
    >
      {name}
    </Button>
  );
}
