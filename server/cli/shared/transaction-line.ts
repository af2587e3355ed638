import type { Agent } from 'node:https';
import type { Client } from '../../contract/client/client.ts';
import type { SocketConstructor } from '../../contract/client/stream.ts';
import { TransactionLine } from '../../contract/client/transaction-line.ts';

/** A WebSocket constructor with the agent's trust. */
export async function webSocket(agent: Agent | undefined): Promise<SocketConstructor> {
  const { WebSocket } = await import('ws');
  if (agent === undefined) return WebSocket;
  return class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { agent });
    }
  };
}

/** A line to a node over its stream; over runs if the network does not pass WebSockets. */
export const transactionLine = async (
  client: Client,
  fpgaId: number,
  agent: Agent | undefined,
): Promise<TransactionLine> => new TransactionLine(client, fpgaId, await webSocket(agent));
