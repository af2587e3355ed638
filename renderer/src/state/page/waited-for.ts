/** Pending answers of the service. */
let waitedFor = 0;
let whenNone: (() => void)[] = [];

/** Counts an answer as pending until it arrives: background loading yields to it. */
export async function waitedForUntil<T>(answer: Promise<T>): Promise<T> {
  waitedFor += 1;
  try {
    return await answer;
  } finally {
    waitedFor -= 1;
    if (waitedFor === 0) {
      const resolvers = whenNone;
      whenNone = [];
      for (const resolve of resolvers) resolve();
    }
  }
}

/** Resolves when no answer is pending. */
export const noneWaitedFor = (): Promise<void> =>
  waitedFor === 0 ? Promise.resolve() : new Promise((resolve) => whenNone.push(resolve));
