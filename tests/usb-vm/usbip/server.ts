import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { assertNever } from '../../../server/errors/bench-error.ts';
import { Attachment } from './attachment.ts';
import type { UsbDevice } from './ftdi-device.ts';
import { type DeviceSummary, deviceList, importReply, readRequest } from './messages.ts';

/** Serves emulated USB devices to `usbip attach`, on loopback. */
export class UsbIpServer {
  readonly #server: Server;
  readonly #devices = new Map<string, UsbDevice>();
  readonly #sockets = new Set<Socket>();
  /** Actions for a pulled device. */
  readonly #gone = new Map<UsbDevice, Set<() => void>>();
  #numbers = 0;
  readonly #summaries = new Map<string, DeviceSummary>();

  constructor(server: Server) {
    this.#server = server;
  }

  static async listen(): Promise<UsbIpServer> {
    const server = createServer();
    const made = new UsbIpServer(server);
    server.on('connection', (socket) => made.#serve(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Offers a device until it is gone. @param busId as `usbip attach -b` names it, e.g. `1-1`. */
  plug(busId: string, device: UsbDevice): void {
    if (this.#devices.has(busId)) throw new Error(`Socket ${busId} is taken.`);
    const { speed, vendorId, productId, release, interfaces } = device;
    const deviceNumber = ++this.#numbers;
    this.#devices.set(busId, device);
    this.#summaries.set(busId, {
      ...{ busId, busNumber: 1, deviceNumber },
      ...{ speed, vendorId, productId, release, interfaces },
    });
    device.onGone(() => {
      this.#devices.delete(busId);
      this.#summaries.delete(busId);
      for (const listener of this.#gone.get(device) ?? []) listener();
    });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    let bytes = Buffer.alloc(0);
    let attachment: Attachment | undefined;
    // A client that leaves in the middle of anything just leaves; `close` follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      attachment?.end();
    });
    socket.on('data', (part) => {
      try {
        if (attachment) return attachment.take(part);
        bytes = Buffer.concat([bytes, part]);
        for (;;) {
          const read = readRequest(bytes);
          if (!read) return;
          bytes = bytes.subarray(read.size);
          attachment = this.#answer(read.message, socket);
          if (attachment) return attachment.take(bytes);
        }
      } catch {
        socket.destroy();
      }
    });
  }

  #answer(request: NonNullable<ReturnType<typeof readRequest>>['message'], socket: Socket) {
    switch (request.kind) {
      case 'list':
        socket.write(deviceList([...this.#summaries.values()]));
        return undefined;
      case 'import': {
        const device = this.#devices.get(request.busId);
        socket.write(importReply(this.#summaries.get(request.busId) ?? null));
        if (!device) return undefined;
        const listeners = this.#gone.get(device) ?? new Set();
        this.#gone.set(device, listeners);
        // A device that is pulled out ends the connection, which the kernel takes for just that.
        listeners.add(() => socket.destroy());
        return new Attachment(device, (message) => socket.writable && socket.write(message));
      }
      default:
        return assertNever(request);
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
