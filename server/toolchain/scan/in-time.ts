import { BenchError } from '../../errors/bench-error.ts';

/** What a tool comes to; null when it needs longer than it may. @throws whatever else it rejects with */
export async function inTime<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BenchError && error.code === 'tool_deadline') return null;
    throw error;
  }
}
