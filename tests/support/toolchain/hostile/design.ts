/** The bait for a hostile design on the host. */
export interface Bait {
  /** Absolute path of a file with a secret in it. */
  read: string;
  /** The same file, from a folder below the one for temporary files. */
  relative: string;
  /** A symbolic link to it. */
  link: string;
  /** Absolute path of a file that does not exist, in a folder that can be written to. */
  write: string;
}

/** A source that attacks the host, or needs too much. */
export interface HostileDesign {
  category: string;
  name: string;
  filename: string;
  source: string;
  /** `slow`: ends only by a limit or a deadline, so only in the long run. */
  pace: 'quick' | 'slow';
}

/** Collects the designs of one category. */
export function category(title: string, filename: string) {
  const all: HostileDesign[] = [];
  return {
    all,
    add(name: string, source: string, called = filename, pace: HostileDesign['pace'] = 'quick'): void {
      all.push({ category: title, name, filename: called, source, pace });
    },
  };
}
