// The limits of the registers of a node, and their alerts.
import { createStore } from 'zustand/vanilla';
import { formatWord, hexAddress } from '../../../../format/words.ts';
import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { dismissToast, showToast } from '../../../../state/page/toasts.ts';
import { samplesVersion, seriesOf } from '../../../../state/samples/samples.ts';
import { text } from '../../../../text/text.ts';
import { mapsOf, viewOf } from '../map/map-store.ts';
import { findByAddress } from '../map/register-map.ts';
import { keepView, storedView } from '../session-view.ts';
import { type Crossing, crossings, type Limits, type Looked } from './crossings.ts';

const t = text.registers.plotting;

/** An alert of a register, for its mark on the plot. */
interface Alert extends Crossing {
  address: number;
}

interface NodeLimits {
  byAddress: Readonly<Record<number, Limits>>;
  /** The latest alerts, oldest first. */
  alerts: readonly Alert[];
}

/** Maximum alerts with a mark. */
const MAX_ALERTS = 500;
/** How long the notice of an alert stays, ms. Its mark stays on the plot. */
const NOTICE_MS = 15_000;

export const NO_LIMITS: NodeLimits = { byAddress: {}, alerts: [] };

/** Node → its limits. They hold whichever view is open. */
export const limits = createStore<Partial<Record<number, NodeLimits>>>(() => ({}));

const limitsOf = (node: number): NodeLimits => limits.getState()[node] ?? NO_LIMITS;

/** `node address` → what was looked at, and the notice that is shown. */
const looked = new Map<string, Looked & { notice?: number | undefined }>();
const nowSeconds = (): number => Date.now() / 1000;

/** The design of a node, as the stored views name it. */
const designOf = (client: BenchClient, node: number) => {
  const design = client.nodes.getState().nodes?.find(({ fpga_id }) => fpga_id === node)?.design;
  return design ? { name: design.module || design.filename, id: design.design_id ?? undefined } : undefined;
};

function nameOf(client: BenchClient, node: number, address: number): string {
  const design = designOf(client, node);
  const map = design && viewOf(mapsOf(client).getState(), design).inUse;
  return findByAddress(map, address)?.name ?? hexAddress(address);
}

function show(client: BenchClient, node: number, address: number, { value, side }: Crossing): number {
  const { numberFormat: format } = client.preferences.getState();
  const limit = limitsOf(node).byAddress[address]?.[side] ?? 0;
  const word = (one: number) => formatWord(one, limit < 0 ? 'signed' : format);
  return showToast(client.toasts, {
    tone: 'bad',
    text: t.alert[side](nameOf(client, node, address), word(value), word(limit), node),
    duration: NOTICE_MS,
  });
}

/** Looks at the new samples of every register with limits. */
function look(client: BenchClient): void {
  for (const node of Object.keys(limits.getState()).map(Number)) {
    const { byAddress, alerts } = limitsOf(node);
    const added: Alert[] = [];
    for (const [place, own] of Object.entries(byAddress)) {
      const address = Number(place);
      const name = `${node} ${address}`;
      const before = looked.get(name) ?? { until: nowSeconds(), side: undefined };
      const { found, looked: now } = crossings(seriesOf(node, address), own, before);
      const last = found.at(-1);
      if (last && before.notice !== undefined) dismissToast(client.toasts, before.notice);
      const notice = last ? show(client, node, address, last) : before.notice;
      looked.set(name, { ...now, notice });
      added.push(...found.map((crossing) => ({ ...crossing, address })));
    }
    if (added.length > 0)
      limits.setState({ [node]: { byAddress, alerts: [...alerts, ...added].slice(-MAX_ALERTS) } });
  }
}

const watched = new WeakSet<BenchClient>();

function watch(client: BenchClient): void {
  if (watched.has(client)) return;
  watched.add(client);
  samplesVersion.subscribe(() => look(client));
}

/** Sets or removes a limit of a register. It looks at the values from now on. */
export function setLimits(client: BenchClient, node: number, address: number, own: Limits): void {
  const { [address]: _, ...others } = limitsOf(node).byAddress;
  const isEmpty = own.below === undefined && own.above === undefined;
  const byAddress = isEmpty ? others : { ...others, [address]: own };
  limits.setState({ [node]: { ...limitsOf(node), byAddress } });
  looked.set(`${node} ${address}`, { until: nowSeconds(), side: undefined });
  watch(client);
  const design = designOf(client, node);
  if (design) keepView(client, node, design.name, { limits: byAddress });
}

/** Restores the limits of the design of a node after a reload. */
export function restoreLimits(client: BenchClient, node: number): void {
  const design = designOf(client, node);
  if (!design || limits.getState()[node]) return;
  const { limits: byAddress } = storedView(client, node, design.name);
  if (Object.keys(byAddress).length === 0) return;
  limits.setState({ [node]: { byAddress, alerts: [] } });
  watch(client);
}
