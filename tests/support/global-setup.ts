import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { build } from '../../dist.mjs';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../server/log.ts';
import { appRoot, distPath, resourcePath } from '../../server/paths.ts';
import type { BuildRequest } from '../../server/toolchain/build-request.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { BUILDER, type SubmittedDesign } from './built.ts';
import { KeptBuilds } from './kept-builds.ts';
import { removeUnusedResults } from './stored-results.ts';
import { SharedTools } from './toolchain/shared-tools.ts';
import { forkWithStoredRuns } from './toolchain/stored-runs.ts';

/** Environment variable with the folder in which run-typescript.mjs keeps what it makes of modules in this run. */
const PROGRAMS = 'WISHBENCH_TEST_PROGRAMS';

const IGNORED = { log() {}, progress() {}, async started() {} };

const CACHE = path.join(appRoot, 'node_modules', '.cache');

/**
 * Builds dist/ first if it is older than its sources: services, worker threads and pages of tests run from there. One
 * toolchain serves all tests that start from a finished build: it listens on loopback, makes each design once for this
 * state of the toolchain, and answers with the file of the build. It builds only on request.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Another level of this run has done it.
  if (process.env[BUILDER] !== undefined) return async () => {};
  build();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-built-'));
  const builds = path.join(folder, 'builds');
  await mkdir(CACHE, { recursive: true });
  const kept = await KeptBuilds.open(CACHE);
  removeUnusedResults();
  await kept.copyTo(builds);
  // In the project, where packages are found.
  const programs = await mkdtemp(path.join(CACHE, 'wishbench-programs-'));
  process.env[PROGRAMS] = programs;
  const tools = await SharedTools.open(distPath('server', 'tools-process.js'));
  const catalogue = loadCatalogue();
  const toolchain = createToolchain({ dataDir: folder, logger: silentLogger, forkTools: forkWithStoredRuns });

  /**
   * Ends when V8's code of the tools from the first build is in the cache: no other process of the run makes it again.
   */
  let prepared: Promise<void> | undefined;

  async function buildDesign({ filename, source, options, board }: SubmittedDesign): Promise<string> {
    const request: BuildRequest = {
      source: Buffer.from(source, 'base64'),
      filename,
      board: catalogue.get(board)!,
      options,
    };
    // The cache is written at rest, which without this would be after the last build.
    const built = (prepared ?? Promise.resolve()).then(() => toolchain.build(request, IGNORED));
    prepared ??= built.then(
      () => toolchain.code.keepCode(),
      () => {},
    );
    return path.join(builds, (await built).buildId);
  }

  // Before the tests: each of their processes that runs a tool earlier compiles it for itself, which takes longer than
  // this build. Many tests start from it.
  if (!toolchain.code.compiled) {
    const source = readFileSync(resourcePath('examples', 'echo.v')).toString('base64');
    await buildDesign({ filename: 'echo.v', source, options: {}, board: VIRTUAL_BOARD });
    await prepared;
  }

  const server = http.createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(await buildDesign(JSON.parse(Buffer.concat(chunks).toString())));
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[BUILDER] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  return async () => {
    server.closeAllConnections();
    server.close();
    await toolchain.close();
    tools.close();
    await kept.add(builds);
    for (const made of [folder, programs]) await rm(made, { recursive: true, force: true });
  };
}
