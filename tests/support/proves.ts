import { TestRunner } from 'vitest';
import type { Capability, Evidence, Proof, SystemName } from '../../server/contract/boards/capabilities.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Proof of the test when it passes; see proves(). */
    proves?: Omit<Evidence, 'test'>[];
  }
}

/**
 * To be called in a test: when it passes, it proves that the board can do this, in this way and on this system. What was
 * proven is written into resources/capabilities/evidence.json (tests/support/evidence.ts).
 * @param system the one that the tests run on, unless the test emulates another
 */
export function proves(
  board: string,
  capability: Capability,
  proof: Exclude<Proof, 'board'>,
  system = process.platform as SystemName,
): void {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error('proves() was not called in a test.');
  test.meta.proves = [...(test.meta.proves ?? []), { board, capability, proof, system }];
}
