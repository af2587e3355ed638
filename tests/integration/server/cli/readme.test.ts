import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { appRoot } from '../../../../server/paths.ts';
import { keepBuilt } from '../../../support/built.ts';
import { freePort } from '../../../support/free-ports.ts';

/** The shell of the README, pasted whole into bash: what a newcomer does first has to work. */

const README = readFileSync(path.join(appRoot, 'README.md'), 'utf8');

/** The first block of shell under a heading that has these words in it. */
function shellUnder(heading: string, words = ''): string {
  const section = README.slice(README.indexOf(`## ${heading}\n`));
  const blocks = [...section.slice(0, section.indexOf('\n## ', 3)).matchAll(/```sh\n(.*?)```/gs)];
  const found = blocks.map(([, block = '']) => block).find((block) => block.includes(words));
  if (found === undefined) throw new Error(`README has no shell with “${words}” under ${heading}`);
  return found;
}

/** Windows has no bash. */
const onUnix = test.skipIf(process.platform === 'win32');

onUnix('the curl tour and the shell script do what they say', async ({ signal }) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-readme-'));
  // What a build does is tested elsewhere.
  await keepBuilt(folder, ['echo.v']);
  const port = await freePort();
  // Jobs in process groups of their own, as on a terminal: so the service ends with all that started it.
  const before = `set -mE -o pipefail
trap 'echo "FAILED: $BASH_COMMAND" >&2' ERR
trap 'trap - ERR; kill %1; wait %1' EXIT
trap 'exit 1' TERM
`;
  const between = 'echo "THE SCRIPT"\n';
  const bash = spawn('bash', [], {
    cwd: appRoot,
    env: {
      ...process.env,
      PORT: String(port),
      WISHBENCH_URL: `http://127.0.0.1:${port}`,
      WISHBENCH_DATA: folder,
      XDG_CONFIG_HOME: folder,
    },
  });
  let [stdout, stderr] = ['', ''];
  bash.stdout.on('data', (text) => {
    stdout += text;
  });
  bash.stderr.on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise((resolve) => bash.on('close', resolve));
  const tour = shellUnder('Five minutes with curl');
  const script = shellUnder('A script of a lab', 'npx wishbench');
  bash.stdin.end([before, tour, between, script].join(''));
  signal.addEventListener('abort', () => bash.kill('SIGTERM'));
  try {
    await ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(stderr.match(/^FAILED: .*/gm)).toBeNull();
  const [toured = '', scripted = ''] = stdout.split('THE SCRIPT\n');
  expect(toured).not.toContain('"detail"');
  // The service's request log does not come between the answers.
  expect(stderr).not.toContain('"msg":"request"');
  expect(toured.match(/"fpga_id":\d,"state":"idle"/g)).toHaveLength(10);
  expect(toured).toContain('"fpga_id":3,"state":"reserved"');
  // The answer is as the comment of the tour says.
  expect(tour).toContain('# {"ok":true,"data":[3735928559]}');
  expect(toured).toContain('{"ok":true,"data":[]}\n{"ok":true,"data":[3735928559]}\n');
  expect(scripted).toMatch(/^[\w-]{36}\n0x00000001\n0x00000002\n0x00000003\n$/);
});
