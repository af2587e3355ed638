import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { loadCatalogue } from '../../server/boards/catalogue/index.ts';
import { createFabric } from '../../server/boards/virtual/create-fabric.ts';
import { silentLogger } from '../../server/log.ts';
import { appRoot, resourcePath } from '../../server/paths.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { Ft2232h, type Ft2232hOptions, type FtdiBoard } from '../support/boards/emulator/ft2232h.ts';
import { Ice40Board } from '../support/boards/emulator/ice40-board.ts';
import { boardTool } from './guest-tools.ts';
import { findKernel, findUdev, whatIsMissing } from './machine/kernel.ts';
import { GuestMachine } from './machine/machine.ts';
import { FtdiDevice } from './usbip/ftdi-device.ts';
import { UsbIpServer } from './usbip/server.ts';

/** The user of the guest: an ordinary one, in the groups of docs/boards.md. */
const USER = 'bench';
const DATA = `/home/${USER}/data`;
const SERVICE_LOG = `/home/${USER}/service.log`;
const SERVICE_PID = `/home/${USER}/service.pid`;
/** Seconds of the guest's processor time; on an emulated one it takes fifteen. */
const SERVICE_DEADLINE = 120;
/** Seconds of the guest's processor time; it takes one. */
const SEEN_DEADLINE = 30;
/** Seconds on the clock after which the test gives up even on an idle guest. */
const PATIENCE = 900;

const hx8k = loadCatalogue().get('ice40-hx8k-breakout')!;
const echo = new Uint8Array(readFileSync(resourcePath('examples', 'echo.v')));

const missing = whatIsMissing();
const kernel = missing === null ? findKernel() : null;
const udev = kernel === null ? null : findUdev();

/** Why there can be no guest here, or null. */
export const skipReason =
  missing ??
  (kernel
    ? udev === null
      ? 'there is no udev: it is not installed, and apt-get has none'
      : null
    : 'there is no kernel: none is installed, apt-get has none, WISHBENCH_KERNEL_DEB names none');

/** An answer of the API, loosely typed: the API tests check the contract. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape pass through here
  body: any;
}

export interface EndedJob {
  status: string;
  log: string;
  /** The error code of the job's failure, when it failed. */
  code: string | undefined;
}

export interface RunEnd extends EndedJob {
  /** The design's answer; absent in a failed run. */
  ok?: boolean;
  data?: number[];
}

/** Builds the echo example on the host, into a cache: in the guest it would take minutes, and is not what is tested here. */
async function echoBitstream(dataDir: string): Promise<Uint8Array> {
  const toolchain = createToolchain({ dataDir, logger: silentLogger });
  const design = { source: echo, filename: 'echo.v', board: hx8k, options: {} };
  try {
    return (await toolchain.build(design, { log() {}, progress() {}, async started() {} })).bitstream;
  } finally {
    await toolchain.close();
  }
}

/** A guest with the service in it, and boards on the host that are plugged into it. */
export class UsbLab {
  readonly guest: GuestMachine;
  readonly #usb: UsbIpServer;
  readonly #folder: string;
  readonly #tool: string;
  /** The echo example for the iCE40-HX8K Breakout Board; its build is in the service's cache. */
  readonly bitstream: { file: string; content: Uint8Array };

  #ruled = false;

  constructor(parts: {
    guest: GuestMachine;
    usb: UsbIpServer;
    folder: string;
    tool: string;
    bitstream: { file: string; content: Uint8Array };
  }) {
    this.guest = parts.guest;
    this.#usb = parts.usb;
    this.#folder = parts.folder;
    this.#tool = parts.tool;
    this.bitstream = parts.bitstream;
  }

  /** @param files content that the guest finds in files, by name: see file(). */
  static async start(files: Record<string, Uint8Array> = {}): Promise<UsbLab> {
    if (!kernel || udev === null) throw new Error(skipReason ?? 'There is no kernel.');
    const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-usb-lab-'));
    // For the guest's ordinary user, too.
    chmodSync(folder, 0o755);
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
    const [bitstream, tool, guest] = await Promise.all([
      echoBitstream(folder),
      boardTool(),
      GuestMachine.boot({ kernel, udev }),
    ]);
    const file = path.join(folder, 'echo.bin');
    writeFileSync(file, bitstream);
    const usb = await UsbIpServer.listen();
    await guest.must(
      `groupadd -f plugdev && useradd -m -s /bin/bash -G plugdev,dialout ${USER} &&
       mkdir -p ${DATA} && cp -r ${folder}/builds ${DATA}/ && chown -R ${USER}: /home/${USER}`,
    );
    return new UsbLab({ guest, usb, folder, tool, bitstream: { file, content: bitstream } });
  }

  /** Path in the guest of a file that start() got. */
  file(name: string): string {
    return path.join(this.#folder, name);
  }

  /** An iCE40-HX8K Breakout Board whose FPGA executes what it is configured with. */
  board(options: Partial<Ft2232hOptions> & { jumpers?: 'sram' | 'flash' } = {}): Ft2232h {
    const { fpga, clock, serial } = hx8k;
    const fabric = createFabric({ package: fpga.package, clock, rx: serial.rx, tx: serial.tx });
    const board = new Ice40Board({ fabric, jumpers: options.jumpers ?? 'sram' });
    return new Ft2232h({ board, wire: 'unhurried', serial: 'ib001', ...options });
  }

  /** Plugs a chip in: resolves when the guest's udev has done with it. */
  async plug(chip: Ft2232h<FtdiBoard>, options: { socket?: string; interfaces?: 1 | 2 } = {}): Promise<void> {
    const socket = options.socket ?? '1-1';
    // The FPGA exists before the plug: its thread takes a moment to start, unlike silicon.
    await chip.board.pins();
    this.#usb.plug(socket, new FtdiDevice(chip, { interfaces: options.interfaces ?? 2 }));
    await this.guest.must(
      `usbip --tcp-port ${this.#usb.port} attach -r 10.0.2.2 -b ${socket} && ${this.#until(
        `ls /sys/bus/usb/devices | grep -q ':1.${(options.interfaces ?? 2) - 1}$'`,
      )} && udevadm settle`,
    );
  }

  /** Pulls the plug; resolves when the guest's kernel has seen it. */
  async unplug(...chips: Ft2232h<FtdiBoard>[]): Promise<void> {
    for (const chip of chips) chip.unplug();
    await this.guest.must(this.#until("! grep -qs '^0403$' /sys/bus/usb/devices/*/idVendor"));
  }

  #until(condition: string): string {
    return `for i in $(seq 1200); do ${condition} && break; sleep 0.1; done; ${condition}`;
  }

  /** Installs the project's udev rules, as docs/boards.md says, if they are missing. */
  async installRules(): Promise<void> {
    if (this.#ruled) return;
    this.#ruled = true;
    await this.guest.must(
      `cp '${resourcePath('udev', '70-wishbench.rules')}' /etc/udev/rules.d/ && udevadm control --reload-rules &&
       udevadm trigger --subsystem-match=usb --subsystem-match=tty && udevadm settle`,
    );
  }

  /** Starts the service as the ordinary user; resolves when it answers. */
  async startService(): Promise<void> {
    await this.guest.must(
      `cd '${appRoot}'; setsid '${process.execPath}' dist/server/cli.js serve --data ${DATA} --port 8000 >>${SERVICE_LOG} 2>&1 </dev/null &
       echo $! > ${SERVICE_PID}`,
      USER,
    );
    const answers = async () => {
      const up = await this.call('GET', '/boards').then(
        ({ status }) => status === 200,
        () => false,
      );
      if (!up && (await this.guest.run(`kill -0 $(cat ${SERVICE_PID})`)).code !== 0)
        throw new Error(`The service has ended.\n${await this.serviceLog()}`);
      return up;
    };
    if (!(await this.#comesTrue(answers, SERVICE_DEADLINE)))
      throw new Error(`The service does not answer.\n${await this.serviceLog()}`);
  }

  /** Polls; false if the condition stays false while the guest takes this many seconds of processor time. */
  async #comesTrue(condition: () => Promise<boolean>, seconds: number): Promise<boolean> {
    const until = this.guest.processorSeconds + seconds;
    const latest = performance.now() + PATIENCE * 1000;
    for (;;) {
      if (await condition()) return true;
      if (this.guest.processorSeconds > until || performance.now() > latest) return false;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** Ends the service, in order or at once. */
  async endService(signal: 'TERM' | 'KILL' = 'TERM'): Promise<void> {
    await this.guest.must(
      `pid=$(cat ${SERVICE_PID}); kill -${signal} $pid; ${this.#until('! kill -0 $pid 2>/dev/null')}`,
    );
  }

  async serviceLog(): Promise<string> {
    return (await this.guest.run(`cat ${SERVICE_LOG}`)).output;
  }

  async call(method: string, address: string, body?: unknown): Promise<Answer> {
    // The request of fetch, over a connection of its own: an open one may be closed just as it is used again.
    const json = body === undefined || body instanceof FormData ? undefined : JSON.stringify(body);
    const encoded = new Response(body instanceof FormData ? body : (json ?? null));
    const type = json === undefined ? encoded.headers.get('content-type') : 'application/json';
    const content = Buffer.from(await encoded.arrayBuffer());
    const headers = { 'content-length': content.length, ...(type && { 'content-type': type }) };
    const asked = request(this.guest.serviceUrl + address, { method, headers, agent: false });
    asked.end(content);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const answer = (await text(response)) || 'null';
    const isJson = response.headers['content-type']?.includes('json');
    return { status: response.statusCode ?? 0, body: isJson ? JSON.parse(answer) : answer };
  }

  /** Waits until the service lists a board as attached, or as away. */
  async seen(id: string, present = true): Promise<void> {
    let boards: { id: string; present: boolean }[] = [];
    const listed = async () => {
      boards = (await this.call('GET', '/boards')).body.boards;
      return (boards.find((board) => board.id === id)?.present ?? false) === present;
    };
    if (!(await this.#comesTrue(listed, SEEN_DEADLINE)))
      throw new Error(`${id} ${present ? 'does not come' : 'stays'}: ${JSON.stringify(boards)}`);
  }

  async assign(slot: number, board: string, mode: 'sram' | 'flash'): Promise<void> {
    const { status, body } = await this.call('PUT', `/boards/${slot}`, { board, definition: hx8k.id, mode });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  }

  /** Submits the echo example; returns the job's id. */
  async submit(slot: number): Promise<string> {
    const form = new FormData();
    form.set('file', new Blob([echo]), 'echo.v');
    const { status, body } = await this.call('POST', `/fpga/${slot}/submit`, form);
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.job_id;
  }

  /** Follows a job to its end. */
  async ended(slot: number, job: string): Promise<EndedJob> {
    for (;;) {
      const { body } = await this.call('GET', `/fpga/${slot}/jobs/${job}?wait=30`);
      if (['queued', 'running'].includes(body.status)) continue;
      const details = await this.call('GET', `/fpga/${slot}/jobs/${job}/details`);
      const log = await this.call('GET', `/fpga/${slot}/jobs/${job}/logs`);
      return { status: body.status, log: log.body, code: details.body.failure?.error };
    }
  }

  async build(slot: number): Promise<EndedJob> {
    return this.ended(slot, await this.submit(slot));
  }

  /** Runs a read or a write; returns the result, and the job's log. */
  async run(slot: number, request: unknown): Promise<RunEnd> {
    const { status, body } = await this.call('POST', `/fpga/${slot}/run`, request);
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    const end = await this.ended(slot, body.job_id);
    const result = await this.call('GET', `/fpga/${slot}/jobs/${body.job_id}/result`);
    return { ...end, ...result.body };
  }

  async state(slot: number): Promise<string> {
    return (await this.call('GET', `/fpga/${slot}`)).body.state;
  }

  /** Brings the node back to idle from any state. */
  async idle(slot: number): Promise<void> {
    const state = await this.state(slot);
    if (state === 'idle') return;
    const way = state === 'reserved' ? 'session/release' : 'reset';
    const { body } = await this.call('POST', `/fpga/${slot}/${way}`);
    const end = await this.ended(slot, body.job_id);
    if (end.status !== 'complete') throw new Error(`${way}: ${end.log}`);
  }

  /** Runs guest/board-tool.ts as the ordinary user. */
  async tool(what: 'link' | 'program', ...args: string[]) {
    const line = ["'", process.execPath, "' '", this.#tool, "' ", [what, ...args].join(' ')].join('');
    const output = await this.guest.must(`cd '${appRoot}' && ${line}`, USER);
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as {
      identity?: { clockHz: number; baud: number; buildId: string };
      same?: boolean;
      code?: string | null;
      message?: string;
      log: string[];
    };
  }

  async close(): Promise<void> {
    await this.#usb.close();
    await this.guest.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
