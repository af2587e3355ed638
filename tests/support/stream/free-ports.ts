import net from 'node:net';

const listens = (port: number): Promise<net.Server | null> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(null));
    server.listen({ host: '127.0.0.1', port }, () => resolve(server));
  });

/** The first of consecutive free ports, below those that the system assigns by itself. */
export async function freePorts(count: number): Promise<number> {
  for (let base = 20_000 + (process.pid % 500) * 20; base < 32_000; base += count) {
    const servers = await Promise.all(Array.from({ length: count }, (_, i) => listens(base + i)));
    await Promise.all(servers.map((server) => server && new Promise((resolve) => server.close(resolve))));
    if (servers.every((server) => server !== null)) return base;
  }
  throw new Error('There are no free ports.');
}
