import { copyFile, mkdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { SubmitOptions } from '../../server/contract/jobs/jobs.ts';
import { resourcePath } from '../../server/paths.ts';

/** Environment variable with the address at which global-setup.ts builds. */
export const BUILDER = 'WISHBENCH_TEST_BUILDER';

/** A design for the builder. */
export interface SubmittedDesign {
  filename: string;
  /** Base64. */
  source: string;
  options: SubmitOptions;
  /** Id in the catalogue of boards. */
  board: string;
}

/** A file as a test submits it. */
export interface Design {
  filename: string;
  source: string | Uint8Array;
  options?: SubmitOptions;
}

/** The name of an example, or a file of the test's own. */
export type Built = string | Design;

async function finished(design: Built, board: string): Promise<string> {
  const {
    filename,
    source,
    options = {},
  }: Design = typeof design === 'string'
    ? { filename: design, source: await readFile(resourcePath('examples', design)) }
    : design;
  const asked: SubmittedDesign = { filename, source: Buffer.from(source).toString('base64'), options, board };
  const builder = process.env[BUILDER];
  if (builder === undefined) throw new Error('Nobody builds: tests/support/global-setup.ts has not run.');
  // No fetch: it gives up after five minutes, and builds on a busy machine may take longer.
  const { ok, answer } = await new Promise<{ ok: boolean; answer: string }>((resolve, reject) => {
    http
      .request(builder, { method: 'POST' }, (response) => {
        text(response).then((body) => resolve({ ok: response.statusCode === 200, answer: body }), reject);
      })
      .on('error', reject)
      .end(JSON.stringify(asked));
  });
  if (!ok) throw new Error(`${filename} could not be built: ${answer}`);
  return answer;
}

/**
 * Puts finished builds into the cache of a data folder, which a bench finds there when the same file is submitted: for
 * tests that begin where a build ends. Each design is built once for this state of the toolchain, by the real one.
 */
export async function keepBuilt(
  dataDir: string,
  designs: readonly Built[],
  board = 'virtual-hx8k',
): Promise<void> {
  const builds = path.join(dataDir, 'builds');
  await mkdir(builds, { recursive: true });
  for (const file of await Promise.all(designs.map((design) => finished(design, board))))
    await copyFile(file, path.join(builds, path.basename(file)));
}
