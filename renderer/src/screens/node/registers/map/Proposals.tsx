import { Button, IconButton } from '../../../../components/Button.tsx';
import { hexAddress } from '../../../../format/words.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { useQuery } from '../../../../state/client/query.ts';
import { href } from '../../../../state/page/routes.ts';
import { offerUndo } from '../../../../state/page/toasts.ts';
import { text } from '../../../../text/text.ts';
import {
  acceptInferred,
  dismissInferred,
  type MappedDesign,
  proposeAgain,
  useMaps,
  viewOf,
} from './map-store.ts';
import { formatBits, type Register } from './register-map.ts';
import './map.css';

const t = text.registers.map.proposals;

/**
 * The registers of the inferred map that the map lacks. Each has a link to its line, and the person accepts or
 * dismisses them one by one or all together.
 */
export function Proposals({
  node,
  design,
  build,
  owned,
}: {
  node: number;
  design: MappedDesign;
  /** Another build may have another source. */
  build: string | undefined;
  /** The design is the person's own: others see the registers, but cannot change the map. */
  owned: boolean;
}) {
  const client = useBench();
  const state = useMaps();
  const { inUse } = viewOf(state, design);
  const isStored = design.id !== undefined && state.kept[design.id] !== undefined;
  const { data } = useQuery(
    isStored && owned ? ['register map proposal', design.id ?? '', build] : undefined,
    // A missing map has no registers to add.
    (service, signal, [, id]) =>
      service.proposeDesignMap({ design_id: id }, { signal }).catch(() => undefined),
  );
  const has = (address: number, name: string) =>
    inUse?.dismissed?.includes(address) ||
    inUse?.registers.some((one) => one.address === address || one.name.toLowerCase() === name.toLowerCase());
  const proposed = (data?.registers ?? []).filter(({ address, name }) => !has(address, name));
  if (proposed.length === 0) return null;
  const dismiss = async (registers: readonly Register[]) => {
    if (!(await dismissInferred(client, design, registers))) return;
    offerUndo(
      client.toasts,
      t.dismissed(registers.length),
      () => void proposeAgain(client, design, registers),
    );
  };
  return (
    <section className="map-proposals" aria-label={t.title}>
      <header>
        <strong>{t.count(proposed.length)}</strong>
        <span className="push" />
        <Button kind="primary" onClick={() => void acceptInferred(client, design, proposed)}>
          {t.acceptAll}
        </Button>
        <Button onClick={() => void dismiss(proposed)}>{t.dismissAll}</Button>
      </header>
      <ul>
        {proposed.map((register) => (
          <li key={register.address}>
            <span className="mono">{hexAddress(register.address)}</span>
            <span className="mono map-proposed-name">{register.name}</span>
            <span className="muted">{register.access}</span>
            <span className="muted truncate map-proposed-about">
              {[
                ...register.fields.map((field) => `[${formatBits(field)}] ${field.name}`),
                register.description ?? '',
              ].join('  ')}
            </span>
            {register.source && (
              <a href={href({ kind: 'node', node, tab: 'design', job: undefined, ...register.source })}>
                {t.line(register.source.file, register.source.line)}
              </a>
            )}
            <IconButton
              icon="complete"
              label={t.accept(register.name)}
              onClick={() => void acceptInferred(client, design, [register])}
            />
            <IconButton
              icon="close"
              label={t.dismiss(register.name)}
              onClick={() => void dismiss([register])}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
