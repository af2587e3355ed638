import { type IpcMainEvent, type IpcMainInvokeEvent, ipcMain } from 'electron';
import { channel, type Invocations } from '../../preload/channels.ts';
import type { Logger } from '../../server/log.ts';
import { PAYLOAD_CHECKS } from './payloads.ts';

interface IpcOptions {
  /** Origin of the service: only the top frame of its pages may send messages. */
  origin(): string;
  logger: Logger;
  handlers: Invocations;
  /** The GUI listens for commands. */
  onReady(): void;
}

/** True for the top frame of a page that our own service served. */
export function isOurPage(
  event: Pick<IpcMainInvokeEvent | IpcMainEvent, 'senderFrame'>,
  origin: string,
): boolean {
  const frame = event.senderFrame;
  if (!frame || frame.parent) return false;
  return URL.canParse(frame.url) && new URL(frame.url).origin === origin;
}

/** Registers one checked handler per channel: it checks the sender, then the payload, then runs. */
export function setupIpc(options: IpcOptions): void {
  const { handlers, logger } = options;
  for (const [name, isPayload] of PAYLOAD_CHECKS) {
    ipcMain.handle(channel(name), (event, ...args: unknown[]) => {
      if (!isOurPage(event, options.origin())) {
        logger.warn({ channel: name }, 'refused a message from a foreign page');
        throw new Error('Refused: this page does not belong to the bench.');
      }
      if (!isPayload(args)) {
        logger.warn({ channel: name }, 'refused a malformed message');
        throw new Error(`Refused: the arguments of ${name} are malformed.`);
      }
      return (handlers[name] as (...args: unknown[]) => unknown)(...args);
    });
  }
  ipcMain.on(channel('ready'), (event) => {
    if (isOurPage(event, options.origin())) options.onReady();
  });
}
