import { formatInstant } from '../../format/time.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { showRefusal } from '../client/refusal.ts';
import { showToast } from '../page/toasts.ts';

const t = text.notices;

const attempt = (client: BenchClient, act: Promise<unknown>): Promise<void> =>
  act.then(
    () => {},
    (error: unknown) => showRefusal(client, error),
  );

/** Hands the session over to who requests control. */
export const approveRequest = (client: BenchClient, fpga_id: number, owner: string): Promise<void> =>
  attempt(client, client.service.handOverSession({ fpga_id, body: { to: owner } }));

/** Declines a control request; its owner sees who did. */
export const declineRequest = (client: BenchClient, fpga_id: number, owner: string): Promise<void> =>
  attempt(client, client.service.declineControlRequest({ fpga_id, body: { owner } }));

/** Requests control of a node from its holder, who sees the person's name. */
export const requestControl = (client: BenchClient, fpga_id: number): Promise<void> =>
  attempt(
    client,
    client.askForName().then(() => client.service.requestControl({ fpga_id, body: {} })),
  );

/** Takes the own request back. */
export const withdrawRequest = (client: BenchClient, fpga_id: number): Promise<void> =>
  attempt(
    client,
    client.service
      .withdrawControlRequest({ fpga_id })
      .then(() => showToast(client.toasts, { tone: 'plain', text: t.withdrawn(fpga_id), unlisted: true })),
  );

/** Gives the own session a whole lifetime. */
export const extendSession = (client: BenchClient, fpga_id: number): Promise<void> =>
  attempt(
    client,
    client.service.extendSession({ fpga_id }).then(({ expires_at }) => {
      const until = formatInstant(Date.parse(expires_at)).slice(-8, -3);
      showToast(client.toasts, { tone: 'good', text: t.extended(fpga_id, until), unlisted: true });
    }),
  );
