/** Where the tools find the files of a project: apart from what the bench itself gives them. */
export const PROJECT_FOLDER = 'project/';

/** No file of a project lies in a folder that begins with a dot. */
const MISSING_FOLDER = `${PROJECT_FOLDER}.missing/`;
const NAME_FOLLOWS = '/-/';

/**
 * A path at which no tool finds anything, for what a source refers to in vain: not every tool says where that was.
 * @param name as it stands in the source; empty for one that must not be said
 */
export const missingPath = (name: string, from: string, line: number): string =>
  `${MISSING_FOLDER}${line}/${from}${NAME_FOLLOWS}${name}`;

/** What missingPath was made of; null for any other path. */
export function missedAt(path: string): { name: string; file: string; line: number } | null {
  if (!path.startsWith(MISSING_FOLDER)) return null;
  const [place = '', name = ''] = path.slice(MISSING_FOLDER.length).split(NAME_FOLLOWS);
  const slash = place.indexOf('/');
  // Yosys takes what stands behind an include for a part of its name.
  const [plain = ''] = /^[\w.+/-]*/.exec(name) ?? [];
  return { name: plain, file: place.slice(slash + 1), line: Number(place.slice(0, slash)) };
}

/** A file as its author knows it, of the path by which a tool names it. */
export function reportedName(toolPath: string): string {
  const path = toolPath.replace(/^(?:\/design)?\/|^\.\//, '');
  return path.startsWith(PROJECT_FOLDER) ? path.slice(PROJECT_FOLDER.length) : path.replace(/^.*\//, '');
}
