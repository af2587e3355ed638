/** Folder of a project's files among the tools' files. It separates them from the bench's own files. */
export const PROJECT_FOLDER = 'project/';

/**
 * The include path of a project's sources, after the source's own folder and the top of the project. The project
 * has no file there. Six levels of `..` lead back to the project's top.
 */
export const INCLUDE_FOLDER = `${PROJECT_FOLDER}${'-/'.repeat(6)}`;

/** Resolves `.` and `..`; null when the path leads out of its folder. */
export function plainPath(path: string): string | null {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join('/');
}

/** Turns a tool's name of a file into the name that its author knows. */
export function reportedName(toolPath: string): string {
  const path = plainPath(toolPath.replace(/^\/design\//, '')) ?? toolPath;
  return path.startsWith(PROJECT_FOLDER) ? path.slice(PROJECT_FOLDER.length) : path.replace(/^.*\//, '');
}
