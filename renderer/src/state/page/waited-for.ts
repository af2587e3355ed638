/** Answers of the service that something on the page waits for. */
let waitedFor = 0;
let whenNone: (() => void)[] = [];

/** Marks an answer as waited for until it is there: what is loaded for later leaves the line to it. */
export async function waitedForUntil<T>(answer: Promise<T>): Promise<T> {
  waitedFor += 1;
  try {
    return await answer;
  } finally {
    waitedFor -= 1;
    if (waitedFor === 0) {
      const told = whenNone;
      whenNone = [];
      for (const tell of told) tell();
    }
  }
}

/** Resolves when no answer is waited for. */
export const noneWaitedFor = (): Promise<void> =>
  waitedFor === 0 ? Promise.resolve() : new Promise((resolve) => whenNone.push(resolve));
