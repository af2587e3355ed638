import { usbLocation } from '../../../../server/boards/discovery/port-place.ts';
import type { SerialPortInfo, SerialPorts } from '../../../../server/boards/discovery/serial-ports.ts';
import type { UsbBus } from '../../../../server/boards/usb/usb-bus.ts';
import { type Clock, systemClock } from '../../../../server/clock.ts';
import type { Ft2232h } from './ft2232h.ts';
import { type EmulatedPort, emulatedBinding, type SerialSystem } from './serial-binding.ts';
import { type PluggedDevice, UsbHandle } from './usb-handle.ts';

export interface ComputerOptions {
  /** Milliseconds from the USB device to its serial port. */
  portDelay?: number;
  /** Where kernel drivers can be found and detached: on Linux only. */
  system?: 'linux' | 'windows';
  /** Milliseconds from a device or a port to the right to open it, which udev sets after it has appeared. */
  rightsDelay?: number;
  /** Whether the system reports plugging in and out; `mute` accepts listeners and reports nothing. */
  hotplugEvents?: boolean | 'mute';
  /** Whether ports are listed with their place on the USB, as Linux does it. */
  knowsPlaces?: boolean;
  /** The clock of portDelay and rightsDelay. */
  clock?: Clock;
}

interface Plugged {
  device: PluggedDevice;
  handles: UsbHandle[];
  /** Keeps a serial port that is on its way from coming. */
  cancelPort: () => void;
}

/** A computer with USB sockets, its kernel's FTDI driver and its serial ports. */
export class EmulatedComputer {
  readonly serial: SerialSystem = { ports: new Map(), listFails: null };
  /** When set, devices cannot be listed. */
  usbListFails: Error | null = null;
  /** The rights of new devices. */
  permitted = true;
  stringsCached = true;
  readonly #options: Required<ComputerOptions>;
  readonly #sockets = new Map<string, Plugged>();
  readonly #past: UsbHandle[] = [];
  readonly #watchers = new Set<() => void>();
  #address = 0;

  constructor(options: ComputerOptions = {}) {
    this.#options = {
      system: 'linux',
      portDelay: 0,
      rightsDelay: 0,
      hotplugEvents: true,
      knowsPlaces: true,
      clock: systemClock,
      ...options,
    };
  }

  /** @param socket bus and ports, e.g. `1-2.3`. */
  plug(socket: string, chip: Ft2232h): void {
    if (this.#sockets.has(socket)) throw new Error(`Socket ${socket} is taken.`);
    const [bus = '1', chain = ''] = socket.split('-');
    this.#address = (this.#address % 126) + 1;
    const plugged: Plugged = {
      handles: [],
      cancelPort: () => {},
      device: {
        chip,
        system: this.#options.system,
        bus: bus.padStart(3, '0'),
        address: this.#address,
        ports: chain.split('.').map(Number),
        drivers: ['ftdi_sio', 'ftdi_sio'],
        claims: [null, null],
        fileMissing: false,
        permitted: this.permitted,
        stringsCached: this.stringsCached,
        onDriver: () => this.#makePorts(socket),
      },
    };
    this.#sockets.set(socket, plugged);
    this.#permitLater(plugged.device);
    chip.onUnplug(() => this.#gone(socket, plugged));
    if (this.#options.portDelay === 0) this.#makePorts(socket);
    else
      plugged.cancelPort = this.#options.clock.after(this.#options.portDelay, () => this.#makePorts(socket));
    this.#tell();
  }

  unplug(socket: string): void {
    this.#sockets.get(socket)?.device.chip.unplug();
  }

  #gone(socket: string, plugged: Plugged): void {
    if (this.#sockets.get(socket) !== plugged) return;
    plugged.cancelPort();
    this.#sockets.delete(socket);
    this.#past.push(...plugged.handles);
    for (const [path, port] of this.serial.ports)
      if (port.chip === plugged.device.chip) this.serial.ports.delete(path);
    this.#tell();
  }

  /** Makes and removes serial ports to match which interfaces the kernel's driver has. */
  #makePorts(socket: string): void {
    const plugged = this.#sockets.get(socket);
    if (!plugged) return;
    const { chip, drivers, bus, ports } = plugged.device;
    for (const index of [0, 1] as const) {
      const existing = [...this.serial.ports.values()].find(
        (port) => port.chip === chip && port.interfaceNumber === index,
      );
      if (drivers[index] && !existing) {
        const port: EmulatedPort = {
          path: this.#freeName(),
          chip,
          location: usbLocation(bus, ports),
          interfaceNumber: index,
          permitted: this.permitted,
          opened: null,
        };
        this.serial.ports.set(port.path, port);
        this.#permitLater(port);
      }
      if (!drivers[index] && existing) this.serial.ports.delete(existing.path);
    }
  }

  /** Removes the rights until udev has handled this device or port. */
  #permitLater(one: { permitted: boolean }): void {
    const { rightsDelay, clock } = this.#options;
    if (rightsDelay === 0) return;
    const { permitted } = one;
    one.permitted = false;
    clock.after(rightsDelay, () => {
      one.permitted = permitted;
    });
  }

  /** The lowest free name, as on Linux: a returning board may get another one. */
  #freeName(): string {
    for (let number = 0; ; number++) {
      const name = `/dev/ttyUSB${number}`;
      if (!this.serial.ports.has(name)) return name;
    }
  }

  #tell(): void {
    if (this.#options.hotplugEvents === 'mute') return;
    for (const watcher of this.#watchers) setImmediate(watcher);
  }

  /** Open handles on devices, present or gone: none at rest. */
  get openHandles(): number {
    const handles = [...this.#sockets.values()].flatMap((plugged) => plugged.handles).concat(this.#past);
    const ports = [...this.serial.ports.values()].filter((port) => port.opened?.isOpen);
    return handles.reduce((sum, handle) => sum + handle.handles, ports.length);
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  device(socket: string): PluggedDevice {
    const plugged = this.#sockets.get(socket);
    if (!plugged) throw new Error(`Nothing is in socket ${socket}.`);
    return plugged.device;
  }

  /** The USB as `usb` shows it. */
  get bus(): UsbBus {
    return {
      getDevices: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        if (this.usbListFails) throw this.usbListFails;
        return [...this.#sockets.values()].map((plugged) => {
          const handle = new UsbHandle(plugged.device);
          plugged.handles.push(handle);
          // Unopened objects are garbage: the map has only those with resources.
          if (plugged.handles.length > 50)
            plugged.handles = plugged.handles.filter((one, at) => one.handles > 0 || at > 25);
          return handle;
        });
      },
      interfaceDriver: async (location, interfaceNumber) => {
        if (this.#options.system !== 'linux') return undefined;
        const [plugged] = [...this.#sockets.values()].filter(
          ({ device }) => usbLocation(device.bus, device.ports) === location,
        );
        if (!plugged || (interfaceNumber !== 0 && interfaceNumber !== 1)) return undefined;
        const { drivers, claims } = plugged.device;
        return drivers[interfaceNumber] ?? (claims[interfaceNumber] ? 'usbfs' : null);
      },
      watch: async (onChange) => {
        if (!this.#options.hotplugEvents)
          throw new Error('watch devices error: failed to open udev netlink socket');
        this.#watchers.add(onChange);
        return async () => {
          this.#watchers.delete(onChange);
        };
      },
    };
  }

  /** The serial ports as `serialport` and Linux's sysfs show them. */
  get serialPorts(): SerialPorts {
    const binding = emulatedBinding(this.serial);
    return {
      binding: async () => binding,
      list: async () => {
        await binding.list();
        return [...this.serial.ports.values()].map(
          ({ path, chip, location, interfaceNumber }): SerialPortInfo => ({
            path,
            serial: chip.strings.serial,
            location: this.#options.knowsPlaces ? location : null,
            interfaceNumber,
          }),
        );
      },
    };
  }
}
