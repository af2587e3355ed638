import { createHash } from 'node:crypto';
import { BANKS, type ConfigurationMemory } from '../configuration/configuration-memory.ts';
import type { MachinePlan } from './machine-plan.ts';

/** Maximum unused plans in the cache, and their total graph nodes. */
const MAX_SPARE_PLANS = 3;
const MAX_SPARE_NODES = 20_000;

/** The use of a plan until it is given back. */
export interface PlanUse {
  readonly plan: MachinePlan;
  /** May be called more than once. */
  giveBack(): void;
}

/**
 * The plans of a thread's fabrics. Equal configurations share a plan: boards with one design, and a board that gets its
 * last design again. The last few unused plans stay.
 */
export class PlanStore {
  readonly #used = new Map<string, { plan: MachinePlan; users: number }>();
  /** In the order in which they were given back. */
  readonly #spare = new Map<string, MachinePlan>();

  /**
   * @param key of everything that the plan depends on, see planKey
   * @throws what `make` throws; nothing is stored then
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

  /** Number of plans, and of unused ones. */
  get counts(): { all: number; spare: number } {
    return { all: this.#used.size + this.#spare.size, spare: this.#spare.size };
  }

  /** Removes the oldest unused plans until the rest is few and small enough. */
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
 * A digest of everything on which a fabric's plan depends: all bits of its configuration memory, and the driven and
 * observed pins.
 */
export function planKey(memory: ConfigurationMemory, pins: object): string {
  const hash = createHash('sha256');
  for (let bank = 0; bank < BANKS; bank++) hash.update(memory.cramBank(bank)).update(memory.bramBank(bank));
  return hash.update(JSON.stringify(pins)).digest('base64');
}
