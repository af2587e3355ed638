/** Where the tools find the files of a project: apart from what the bench itself gives them. */
export const PROJECT_FOLDER = 'project/';

/**
 * Where the tools look for what a source of a project includes, apart from beside it and the top of the project: no file of a project
 * lies there, and `..` leads out of it six times.
 */
export const INCLUDE_FOLDER = `${PROJECT_FOLDER}${'-/'.repeat(6)}`;

/** A path without `.` and `..`; null where it leads out of its folder. */
export function plainPath(path: string): string | null {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join('/');
}

/** A file as its author knows it, of the path by which a tool names it. */
export function reportedName(toolPath: string): string {
  const path = plainPath(toolPath.replace(/^\/design\//, '')) ?? toolPath;
  return path.startsWith(PROJECT_FOLDER) ? path.slice(PROJECT_FOLDER.length) : path.replace(/^.*\//, '');
}
