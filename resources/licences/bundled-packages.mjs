// Which packages' code a bundle contains: asked of the bundler itself, so that nothing is forgotten.
import path from 'node:path';

/** Modules that the bundler adds from its own code, by the beginning of their ids. */
const OWN_CODE = { '\0rolldown/': 'rolldown', '\0vite/': 'vite' };

/**
 * The folder, relative to the project, of the package that a module belongs to; null for our own modules.
 * @throws when that cannot be told.
 */
export function packageFolder(root, id) {
  const file = id.replace(/^\0/, '').split('?')[0].split(path.sep).join('/');
  const inPackage = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
  if (inPackage) return path.posix.relative(root.split(path.sep).join('/'), inPackage[1]);
  const own = Object.entries(OWN_CODE).find(([prefix]) => id.startsWith(prefix));
  if (own) return `node_modules/${own[1]}`;
  if (id.startsWith('\0')) throw new Error(`The bundle contains ${JSON.stringify(id)}: whose code is that?`);
  return null;
}

/** Collects over several builds. */
export function bundledPackages(root) {
  const found = {};
  return {
    /** A Vite plugin that notes what ends up in the bundle of this folder. */
    plugin: (bundle) => ({
      name: 'wishbench:bundled-packages',
      generateBundle(_options, output) {
        const folders = Object.values(output)
          .filter((file) => file.type === 'chunk')
          .flatMap((chunk) => Object.keys(chunk.modules))
          .map((id) => packageFolder(root, id))
          .filter((folder) => folder !== null);
        found[bundle] = [...new Set([...(found[bundle] ?? []), ...folders])].sort();
      },
    }),
    /** Folder of a bundle → folders of the packages that are in it. */
    found: () => found,
  };
}
