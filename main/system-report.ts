import os from 'node:os';
import type { App } from 'electron';

/** Facts for a bug report. Nothing in it is secret: no keys, no tokens, no names of people, no design. */
interface ReportParts {
  /** The data directory. */
  folder: string;
  /** What GET /status and GET /doctor answer, as the service gives it. */
  status: unknown;
  boards: unknown;
  doctor: unknown;
}

/** Keys whose values never leave the computer, whatever part they come from. */
const SECRET = /token|secret|api_?key|password|authorization|owner|client_?id/i;
const home = os.homedir();

/** A copy without secrets, and with the home folder written as `~`. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return home.length > 1 ? value.replaceAll(home, '~') : value;
  if (Array.isArray(value)) return value.map(redact);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? '(left out)' : redact(inner)]),
    );
  return value;
}

export function systemReport(
  app: Pick<App, 'getVersion' | 'isPackaged'>,
  parts: ReportParts,
  now: Date,
): string {
  const memory = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const facts = [
    `Wishbench ${app.getVersion()} (${app.isPackaged ? 'packaged' : 'from the sources'}), ${now.toISOString()}`,
    `Electron ${process.versions.electron ?? 'none'}, Chromium ${process.versions.chrome ?? 'none'}, Node ${process.versions.node}`,
    `${os.type()} ${os.release()} ${os.arch()}, ${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? 'CPU'}`,
    `Memory ${memory(os.totalmem())}, free ${memory(os.freemem())}`,
    `Data directory ${redact(parts.folder)}`,
  ];
  const section = (title: string, value: unknown) => `## ${title}\n${JSON.stringify(redact(value), null, 2)}`;
  return [
    ...facts,
    '',
    section('Service', parts.status),
    section('Boards', parts.boards),
    section('Doctor', parts.doctor),
    '',
  ].join('\n');
}
