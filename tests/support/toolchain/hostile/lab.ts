import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../../server/clock.ts';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import type { ToolchainOptions } from '../../../../server/toolchain/index.ts';
import { temporaryFolder } from '../../temporary.ts';
import { example, freshToolchain, record, requestOf } from '../build/support.ts';
import type { Bait, HostileDesign } from './design.ts';

/** How a hostile design ended. */
export interface Ending {
  design: HostileDesign;
  /** The code of the error, or `done`: a scan ends with findings, not with an error. */
  code: string;
  seconds: number;
}

/** An old access time: any later read changes it, on file systems that store it. */
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

/** A folder of the host with a secret, and a toolchain for hostile designs. */
export class HostileLab {
  readonly bait: Bait;
  /** Whether reads of the secret are noticed even if its contents do not leak. */
  readonly seesReadings: boolean;
  readonly #folder = temporaryFolder('bait');
  /** Hex words, so that a memory image could be made of it; its first letter is what VHDL looks for. */
  readonly #secret = `${randomBytes(4).toString('hex')}\n${randomBytes(4).toString('hex')}\n`;
  readonly #bench: ReturnType<typeof freshToolchain>;
  readonly #what: 'build' | 'scan';

  constructor(options: Partial<ToolchainOptions>, what: 'build' | 'scan') {
    this.#what = what;
    this.#bench = freshToolchain({ slots: 1, ...options });
    const at = (name: string) => path.join(this.#folder, name);
    mkdirSync(at('writable'));
    writeFileSync(at('secret.hex'), this.#secret);
    symlinkSync(at('secret.hex'), at('link.hex'));
    this.bait = {
      read: at('secret.hex'),
      relative: path.join('..', path.basename(this.#folder), 'secret.hex'),
      link: at('link.hex'),
      write: path.join(at('writable'), 'made'),
    };
    this.seesReadings = this.#noticesReading();
  }

  #noticesReading(): boolean {
    this.#forgetReading();
    const before = statSync(this.bait.read).atimeMs;
    readFileSync(this.bait.read);
    const noticed = statSync(this.bait.read).atimeMs !== before;
    this.#forgetReading();
    return noticed;
  }

  #forgetReading(): void {
    utimesSync(this.bait.read, LONG_AGO, new Date());
  }

  /** Builds the design and returns what is wrong with its end; null if nothing is. */
  async attempt(design: HostileDesign): Promise<{ ending: Ending; harm: string | null }> {
    const context = record();
    const began = systemClock.monotonic();
    let said = '';
    let code = 'done';
    const request = requestOf(design.source, design.filename);
    try {
      const outcome =
        this.#what === 'build'
          ? (await this.#bench.toolchain.build(request, context)).report
          : await this.#bench.toolchain.scan(request, context);
      said = JSON.stringify(outcome);
    } catch (error) {
      if (!(error instanceof BenchError))
        return { ending: { design, code: 'bug', seconds: 0 }, harm: String(error) };
      code = error.code;
      const { message, remedy, diagnostics, details } = error;
      said = JSON.stringify({ message, remedy, diagnostics, details });
    }
    const seconds = (systemClock.monotonic() - began) / 1000;
    return { ending: { design, code, seconds }, harm: this.#harm(`${said}\n${context.text()}`) };
  }

  #harm(said: string): string | null {
    const harms: string[] = [];
    if (
      this.#secret
        .trim()
        .split('\n')
        .some((word) => said.includes(word))
    )
      harms.push('the secret came out');
    if (this.seesReadings && statSync(this.bait.read).atimeMs !== LONG_AGO.getTime())
      harms.push('the secret was read');
    const made = readdirSync(path.dirname(this.bait.write));
    if (made.length > 0) harms.push(`files were made: ${made.join(', ')}`);
    if (readdirSync(this.#folder).length !== 3) harms.push('files were made beside the secret');
    if (/root:x:0|node_modules|\bat .*\.[jt]s:\d+/.test(said)) harms.push('something of the host came out');
    for (const name of made) rmSync(path.join(path.dirname(this.bait.write), name), { recursive: true });
    this.#forgetReading();
    return harms.length > 0 ? harms.join('; ') : null;
  }

  /** Scans an ordinary design: the module that it finds. */
  async stillMatches(): Promise<string | undefined> {
    const { matched } = await this.#bench.toolchain.scan(requestOf(example('gpio.v'), 'gpio.v'), record());
    return matched?.module;
  }

  /** Builds an ordinary design: earlier ones have no effect. */
  async stillBuilds(): Promise<boolean> {
    const { bitstream } = await this.#bench.toolchain.build(requestOf(example('gpio.v'), 'gpio.v'), record());
    return bitstream.length > 0;
  }

  async dispose(): Promise<void> {
    await this.#bench.dispose();
  }
}
