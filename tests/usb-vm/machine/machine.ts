import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { initramfs } from './initramfs.ts';
import type { GuestSystem } from './kernel.ts';

/** Ports of guest/agent.mjs in the guest: commands, and the way to the service. */
const AGENT = 9000;
const SERVICE = 9001;
/** Milliseconds; with an emulated processor it takes 15 to 30 s. */
const BOOT_DEADLINE = 900_000;
/** Milliseconds for a kernel's first word: in a virtual machine, KVM may exist without working. */
const FIRST_WORD = 10_000;

/** End of a command: its exit code or signal, and its output. */
export interface CommandEnd {
  code: number | string;
  output: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A QEMU guest with a real kernel that sees the host's files and can change none of them. */
export class GuestMachine {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #agentPort: number;
  /** Address of the guest's service from the host. */
  readonly serviceUrl: string;
  #console = '';

  constructor(
    process: ChildProcess,
    folder: string,
    ports: { agent: number; service: number },
    readonly acceleration: 'kvm' | 'tcg',
  ) {
    this.#process = process;
    this.#folder = folder;
    this.#agentPort = ports.agent;
    this.serviceUrl = `http://127.0.0.1:${ports.service}`;
    process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#console += text;
    });
    process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#console += text;
    });
  }

  /** Uses KVM where that works, unless WISHBENCH_USB_VM is `tcg`; then, and elsewhere, QEMU emulates the processor. */
  static async boot(system: GuestSystem): Promise<GuestMachine> {
    if (process.env['WISHBENCH_USB_VM'] !== 'tcg' && existsSync('/dev/kvm')) {
      try {
        return await GuestMachine.#start(system, 'kvm');
      } catch {
        // Without permission, or in a virtual machine that passes on less than it reports.
      }
    }
    return GuestMachine.#start(system, 'tcg');
  }

  static async #start(system: GuestSystem, acceleration: 'kvm' | 'tcg'): Promise<GuestMachine> {
    const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-usb-vm-'));
    const initrd = path.join(folder, 'initramfs');
    writeFileSync(initrd, initramfs(system));
    const ports = { agent: await freePort(), service: await freePort() };
    const forward = (port: number, to: number) => `hostfwd=tcp:127.0.0.1:${port}-:${to}`;
    const processor = {
      // Without a register of features that a nested host reports and then refuses to set.
      kvm: ['-accel', 'kvm', '-cpu', 'max,arch-capabilities=off'],
      // Page tables of four levels, not five: an emulated processor walks them often.
      tcg: ['-accel', 'tcg,thread=multi', '-cpu', 'max,la57=off'],
    }[acceleration];
    // The kernel's check of its timer fails on a busy host; nobody attacks this guest.
    const args = [
      ...processor,
      ...['-smp', '2', '-m', '2048'],
      ...['-display', 'none', '-serial', 'stdio', '-monitor', 'none', '-no-reboot'],
      ...[
        '-kernel',
        system.kernel.image,
        '-initrd',
        initrd,
        '-append',
        `console=ttyS0 panic=-1 mitigations=off nokaslr no_timer_check${acceleration === 'tcg' ? ' quiet' : ''}`,
      ],
      '-fsdev',
      'local,id=host,path=/,security_model=none,readonly=on,multidevs=remap',
      ...['-device', 'virtio-9p-pci,fsdev=host,mount_tag=host'],
      '-netdev',
      `user,id=net,${forward(ports.agent, AGENT)},${forward(ports.service, SERVICE)}`,
      ...['-device', 'virtio-net-pci,netdev=net'],
    ];
    // Aborted tests leave no guest running.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'qemu-system-x86_64', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const machine = new GuestMachine(child, folder, ports, acceleration);
    await machine.#ready(acceleration === 'kvm' ? FIRST_WORD : BOOT_DEADLINE);
    return machine;
  }

  /** The guest's console output so far. */
  get console(): string {
    return this.#console;
  }

  #ready(firstWord: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error) => {
        clearTimeout(late);
        clearTimeout(mute);
        this.#process.stdout?.off('data', look);
        this.#process.off('exit', ended);
        if (error) this.close().finally(() => reject(error));
        else resolve();
      };
      const fail = (what: string) => settle(new Error(`${what}\n${this.#console}`));
      const look = () => this.#console.includes('The guest is ready.') && settle();
      const ended = () => fail('The guest ended while it booted.');
      const late = setTimeout(() => fail('The guest did not boot in time.'), BOOT_DEADLINE);
      const mute = setTimeout(() => this.#console === '' && fail('The guest said nothing.'), firstWord);
      this.#process.stdout?.on('data', look);
      this.#process.on('exit', ended);
    });
  }

  /** Processor seconds of the guest so far: on a busy machine, clock time means little. */
  get processorSeconds(): number {
    const stat = readFileSync(`/proc/${this.#process.pid}/stat`, 'latin1');
    // After the name in brackets: utime and stime are the 14th and 15th field, in hundredths (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** Runs a line of bash in the guest to its end, as root or as a user. */
  run(command: string, user?: string): Promise<CommandEnd> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: this.#agentPort, method: 'POST' }, (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part;
          })
          .on('end', () => resolve(JSON.parse(text) as CommandEnd))
          .on('error', reject);
      });
      asked.on('error', reject);
      asked.end(JSON.stringify({ command, user }));
    });
  }

  /** As run(); @throws Error with the output when the command fails. */
  async must(command: string, user?: string): Promise<string> {
    const { code, output } = await this.run(command, user);
    if (code !== 0) throw new Error(`${command}: ended with ${code}\n${output}`);
    return output;
  }

  async close(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
