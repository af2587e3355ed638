// `npm run check -- layers`: which folder may import from which. Imports of types count like any other.
import { createRequire } from 'node:module';

// TypeScript 7 has no API for other tools yet, so swc reads the sources; it has to be told of JSX file by file.
const swc = createRequire(import.meta.url)('@swc/core');
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') });

/** Folders and files of server/ that everything in it may use; each of them knows only those before it. */
const LEAVES = [
  'abort.ts',
  'clock.ts',
  'log.ts',
  'paths.ts',
  'version.ts',
  'text.ts',
  'zip.ts',
  'contract',
  'errors',
  'events',
];

/** Folder of server/ → folders and files that it may import from besides itself and the leaves. */
const SERVER = {
  process: [],
  wishbone: [],
  store: [],
  ice40: [],
  boards: ['ice40', 'wishbone', 'store', 'process'],
  symbols: ['process'],
  toolchain: [
    'symbols',
    'ice40',
    'boards/definition.ts',
    'boards/catalogue',
    'process',
    'store/filesystem.ts',
  ],
  logs: ['store'],
  scripts: [],
  registermap: [],
  nodes: ['boards', 'toolchain/build/gateware.ts', 'wishbone'],
  jobs: ['nodes', 'logs', 'scripts', 'boards', 'toolchain', 'wishbone', 'store'],
  pins: ['jobs', 'toolchain/slave/pins.ts', 'wishbone'],
  'board-check': ['jobs', 'nodes/link-use.ts', 'boards', 'wishbone'],
  metrics: ['toolchain'],
  audit: ['store'],
  report: [],
  identity: [],
  designs: ['jobs', 'scripts', 'store'],
  courses: ['designs', 'jobs', 'nodes', 'boards', 'toolchain', 'scripts', 'wishbone', 'identity', 'store'],
  stream: ['jobs', 'nodes/link-use.ts', 'scripts', 'wishbone'],
  etherbone: ['stream', 'registermap'],
  capture: ['jobs', 'boards', 'toolchain', 'symbols', 'wishbone'],
  benches: ['store'],
  api: [
    'benches',
    'courses',
    'designs',
    'registermap',
    'scripts',
    'stream',
    'etherbone',
    'pins',
    'capture',
    'board-check',
    'jobs',
    'boards',
    'toolchain',
    'store',
    'metrics',
    'audit',
    'report',
    'identity',
    'settings.ts',
  ],
};

/** Folders and files of server/toolchain/, from the ground up: each may import from those before it, and from itself. */
const TOOLCHAIN = [
  'once.ts',
  'reachable.ts',
  'abortable.ts',
  'slots.ts',
  'temporary-folder.ts',
  'tool-paths.ts',
  'tool-engine.ts',
  'build-request.ts',
  'diagnostics',
  'languages',
  'intake',
  'families',
  'engines',
  'slave',
  'frontends',
  'cache',
  'build',
  'farm',
  'toolchain.ts',
];

/** Folders of renderer/src/, from the top down: each may import from those below it, and from itself. */
const RENDERER = ['app', 'screens', 'components', 'state'];

const below = (root, names) =>
  names.map((name) => (/\.\w+$/.test(name) ? `^${root}/${name.replace('.', '\\.')}$` : `^${root}/${name}/`));

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const server = Object.entries(SERVER).map(([folder, uses]) =>
  rule(
    `server-${folder}`,
    `server/${folder} may import from ${[...uses, 'the leaves'].join(', ')}.`,
    { path: `^server/${folder}/` },
    { path: '^server/', pathNot: below('server', [folder, ...uses, ...LEAVES]) },
  ),
);

const leaves = LEAVES.map((leaf, i) =>
  rule(
    `leaf-${leaf}`,
    `server/${leaf} is a leaf: it may import from the leaves before it.`,
    { path: below('server', [leaf]) },
    { path: '^server/', pathNot: below('server', LEAVES.slice(0, i + 1)) },
  ),
);

const toolchain = TOOLCHAIN.map((room, i) =>
  rule(
    `toolchain-${room}`,
    `server/toolchain/${room} may import from what is before it.`,
    { path: below('server/toolchain', [room]) },
    { path: '^server/toolchain/', pathNot: below('server/toolchain', TOOLCHAIN.slice(0, i + 1)) },
  ),
);

const renderer = RENDERER.slice(1).map((layer, i) =>
  rule(
    `renderer-${layer}`,
    `renderer/src/${layer} may import from the layers below it.`,
    { path: `^renderer/src/${layer}/` },
    { path: below('renderer/src', RENDERER.slice(0, i + 1)) },
  ),
);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    rule(
      'no-circle',
      'Two files that need each other are one idea, or hide a third.',
      {},
      { circular: true },
    ),
    {
      ...rule(
        'no-folder-circle',
        'Of two folders side by side one is above the other.',
        {},
        { circular: true },
      ),
      scope: 'folder',
    },
    ...leaves,
    ...server,
    ...toolchain,
    rule(
      'server-alone',
      'The service runs without a desktop and without a page.',
      { path: '^server/' },
      { path: '^(main|preload|renderer)/|^node_modules/(electron|react|react-dom|zustand)/' },
    ),
    rule(
      'contract-alone',
      'What goes over the wire depends on nothing but the library of its schemas.',
      { path: '^server/contract/' },
      { path: '^(server/(?!contract/)|node_modules/(?!typebox/|eventsource-parser/))' },
    ),
    ...renderer,
    rule(
      'renderer-by-contract',
      'The GUI knows the service by its contract, and the desktop by its bridge.',
      { path: '^renderer/' },
      { path: '^(server/(?!contract/)|main/|preload/(?!bridge\\.ts$))' },
    ),
    rule(
      'preload-by-contract',
      'The preload script knows the service by its contract.',
      { path: '^preload/' },
      { path: '^(server/(?!contract/)|main/|renderer/)' },
    ),
    rule(
      'main-without-page',
      'The main process knows nothing of the page.',
      { path: '^main/' },
      { path: '^renderer/' },
    ),
    rule(
      'no-tests',
      'What ships does not need its tests.',
      { path: '^(server|main|preload|renderer)/' },
      { path: '^tests/' },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.css$' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'] },
  },
};
