import os from 'node:os';

const memory = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** Facts about the system, one a line; `build` names the running version. */
export function systemFacts(build: string, now: number): string[] {
  const { electron, node } = process.versions;
  return [
    `Wishbench ${build}, ${new Date(now).toISOString()}`,
    `${electron === undefined ? '' : `Electron ${electron}, Chromium ${process.versions.chrome}, `}Node ${node}, up for ${Math.round(process.uptime())} s`,
    `${os.type()} ${os.release()} ${os.arch()}, ${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? 'CPU'}`,
    `Memory ${memory(os.totalmem())}, free ${memory(os.freemem())}, resident ${memory(process.memoryUsage.rss())}`,
  ];
}
