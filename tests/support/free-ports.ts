import net from 'node:net';

/** Below the ports that systems assign by themselves: until it is bound, nobody gets a port by chance. */
const FIRST = 20_000;
const END = 32_000;
/** Each process begins at another place. */
let next = FIRST + (process.pid % 600) * 20;

const listens = (port: number): Promise<net.Server | null> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(null));
    server.listen({ host: '127.0.0.1', port }, () => resolve(server));
  });

/** The first of consecutive free ports of loopback. Each call returns others. */
export async function freePorts(count: number): Promise<number> {
  for (let tried = 0; tried < END - FIRST; tried += count) {
    const base = next + count <= END ? next : FIRST;
    next = base + count;
    const servers = await Promise.all(Array.from({ length: count }, (_, i) => listens(base + i)));
    await Promise.all(servers.map((server) => server && new Promise((resolve) => server.close(resolve))));
    if (servers.every((server) => server !== null)) return base;
  }
  throw new Error('There are no free ports.');
}

export const freePort = (): Promise<number> => freePorts(1);
