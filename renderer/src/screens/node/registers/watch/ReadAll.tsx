import { useStore } from 'zustand';
import { Button } from '../../../../components/Button.tsx';
import { lastValuesOf, samplesVersion } from '../../../../state/samples/samples.ts';
import { text } from '../../../../text/text.ts';
import { findByAddress, type RegisterMap } from '../map/register-map.ts';

const t = text.registers;

/** The addresses of the watch that can be read. */
function readable(node: number, map: RegisterMap | undefined): number[] {
  const addresses = new Set([
    ...(map?.registers ?? []).map(({ address }) => address),
    ...lastValuesOf(node).keys(),
  ]);
  return [...addresses].filter((address) => findByAddress(map, address)?.access !== 'wo');
}

interface Props {
  node: number;
  ready: boolean;
  map: RegisterMap | undefined;
  onRead(addresses: readonly number[]): void;
}

/** Reads every readable register of the watch. */
export function ReadAll({ node, ready, map, onRead }: Props) {
  const hasSome = useStore(samplesVersion, () => readable(node, map).length > 0);
  return (
    <Button
      kind="quiet"
      icon="repeat"
      title={t.readAllHint}
      disabled={!ready || !hasSome}
      onClick={() => onRead(readable(node, map))}
    >
      {t.readAll}
    </Button>
  );
}
