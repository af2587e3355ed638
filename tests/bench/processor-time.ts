import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of a second in /proc: 100 on every architecture that Node runs on. */
const TICKS = 100;

/** A process's parent, and its processor seconds, including ended children that were waited for. */
function timesOf(pid: string | number): { parent: number; seconds: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Its name, in brackets, may have any character in it.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, ofChildren = 0, ofTheirSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, seconds: (user + system + ofChildren + ofTheirSystem) / TICKS };
  } catch {
    return null; // it has ended
  }
}

/** Processor seconds of a process and its descendants; null where the system does not report them (not Linux). */
export function processorSeconds(pid: number): number | null {
  const own = timesOf(pid);
  if (!own) return null;
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const below = all.filter((name) => timesOf(name)?.parent === pid);
  return below.reduce((sum, name) => sum + (processorSeconds(Number(name)) ?? 0), own.seconds);
}
