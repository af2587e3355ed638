import { createHash } from 'node:crypto';
import { BANKS, type ConfigurationMemory } from '../configuration/configuration-memory.ts';
import type { MachinePlan } from './machine-plan.ts';

/** Plans that nobody uses and that are kept all the same: so many, and with so many graph nodes together. */
const MAX_SPARE_PLANS = 3;
const MAX_SPARE_NODES = 20_000;

/** Use of a plan until it is given back. */
export interface PlanUse {
  readonly plan: MachinePlan;
  /** May be called more than once. */
  giveBack(): void;
}

/**
 * The plans of a thread's fabrics. What has the same configuration runs on the same plan: boards with one design, and a board that
 * gets back what it had a moment ago, of which the last few are kept.
 */
export class PlanStore {
  readonly #used = new Map<string, { plan: MachinePlan; users: number }>();
  /** The one that was given back last is the last. */
  readonly #spare = new Map<string, MachinePlan>();

  /**
   * @param key what the plan depends on, see planKey
   * @throws what `make` throws; nothing is kept then
   */
  take(key: string, make: () => MachinePlan): PlanUse {
    const used = this.#used.get(key) ?? { plan: this.#spare.get(key) ?? make(), users: 0 };
    this.#spare.delete(key);
    this.#used.set(key, used);
    used.users++;
    let held = true;
    return {
      plan: used.plan,
      giveBack: () => {
        if (!held) return;
        held = false;
        if (--used.users > 0) return;
        this.#used.delete(key);
        this.#spare.set(key, used.plan);
        this.#bound();
      },
    };
  }

  /** Plans that are kept at the moment, and how many of them nobody uses. */
  get counts(): { all: number; spare: number } {
    return { all: this.#used.size + this.#spare.size, spare: this.#spare.size };
  }

  /** Lets go of what was given back first until the rest is few and small enough. */
  #bound(): void {
    let nodes = 0;
    for (const { size } of this.#spare.values()) nodes += size.nodes;
    for (const [key, { size }] of this.#spare) {
      if (this.#spare.size <= MAX_SPARE_PLANS && nodes <= MAX_SPARE_NODES) return;
      this.#spare.delete(key);
      nodes -= size.nodes;
    }
  }
}

/**
 * A digest of everything that the plan of a configured fabric depends on: all bits of its configuration memory, and the pins
 * that are driven and observed.
 */
export function planKey(memory: ConfigurationMemory, pins: object): string {
  const hash = createHash('sha256');
  for (let bank = 0; bank < BANKS; bank++) hash.update(memory.cramBank(bank)).update(memory.bramBank(bank));
  return hash.update(JSON.stringify(pins)).digest('base64');
}
