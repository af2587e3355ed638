import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';

/** @throws with the message of `ip` */
function ip(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** Distinguishes the networks of parallel runs. */
let made = 0;
const nextName = (): string => `wbt${process.pid}n${made++}`;

/** Why there is no network of one's own; null where one can be made. */
export const noLan: string | null = (() => {
  if (process.platform !== 'linux') return 'network namespaces are of Linux';
  if (process.getuid?.() !== 0) return 'root alone makes network namespaces';
  const [switching, one] = [nextName(), nextName()];
  try {
    // Checks everything that the tests use: a container may permit only some of it.
    for (const name of [switching, one]) ip('netns', 'add', name);
    ip('-n', switching, 'link', 'add', 'br0', 'type', 'bridge');
    ip('-n', switching, 'link', 'add', 'p0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', one);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    for (const name of [one, switching]) spawnSync('ip', ['netns', 'del', name]);
  }
})();

/** A computer in the LAN: a network namespace, with its cable in the switch. */
export class LanHost {
  readonly #namespace: string;
  readonly #port: string;
  readonly #switching: string;
  #address: string;

  constructor(namespace: string, port: string, switching: string, address: string) {
    this.#namespace = namespace;
    this.#port = port;
    this.#switching = switching;
    this.#address = address;
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', switching, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('-n', switching, 'link', 'set', port, 'master', 'br0', 'up');
    ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
  }

  get address(): string {
    return this.#address;
  }

  /** The start of a command that runs there. */
  get within(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#namespace];
  }

  /** Starts a program there. */
  start(command: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const [program = '', ...args] = [...this.within, ...command];
    return spawn(program, args, options);
  }

  /** Pulls the cable out of the switch: no packet passes, and no program gets an event. */
  cut(): void {
    ip('-n', this.#switching, 'link', 'set', this.#port, 'down');
  }

  /** Puts it back. */
  mend(): void {
    ip('-n', this.#switching, 'link', 'set', this.#port, 'up');
  }

  /** It has another address from now on, as from a new lease of DHCP. */
  move(address: string): void {
    ip('-n', this.#namespace, 'addr', 'del', `${this.#address}/24`, 'dev', 'eth0');
    this.#address = address;
    ip('-n', this.#namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  }

  /** Ends all its programs, and the computer. */
  remove(): void {
    const { stdout } = spawnSync('ip', ['netns', 'pids', this.#namespace], { encoding: 'utf8' });
    for (const pid of (stdout ?? '').split('\n').filter(Boolean))
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    spawnSync('ip', ['netns', 'del', this.#namespace]);
  }
}

/**
 * Computers on one switch without a router, in 10.77.0.0/24, reachable only from each other: network namespaces of this
 * machine with a bridge between them. They share its clock, files and processor, but not its network.
 */
export class LabLan {
  readonly #switching = nextName();
  readonly #hosts: LanHost[] = [];
  readonly #remove = () => this.remove();

  constructor() {
    ip('netns', 'add', this.#switching);
    process.once('exit', this.#remove);
    ip('-n', this.#switching, 'link', 'add', 'br0', 'type', 'bridge');
    ip('-n', this.#switching, 'link', 'set', 'br0', 'up');
  }

  /** Adds a computer. */
  host(): LanHost {
    const number = this.#hosts.length + 1;
    const host = new LanHost(nextName(), `p${number}`, this.#switching, `10.77.0.${number}`);
    this.#hosts.push(host);
    return host;
  }

  /** Ends all its programs, and removes it. */
  remove(): void {
    process.off('exit', this.#remove);
    for (const host of this.#hosts.splice(0)) host.remove();
    spawnSync('ip', ['netns', 'del', this.#switching]);
  }
}
