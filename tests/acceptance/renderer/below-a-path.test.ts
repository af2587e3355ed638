import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createClient } from '../../../server/contract/client/client.ts';
import { openStream } from '../../../server/contract/client/stream.ts';
import { appRoot, resourcePath } from '../../../server/paths.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER, type PageOptions } from '../../support/browser/browser.ts';
import { startPages } from '../../support/browser/pages.ts';
import { hasNginx, Nginx } from '../../support/nginx.ts';

const run = promisify(execFile);
const live = (page: Page) => page.getByText('live', { exact: true }).waitFor();

/** The configuration of docs/operations.md, for the service at `url` and for a second path of it. */
function locations(url: string): string {
  const docs = readFileSync(path.join(appRoot, 'docs/operations.md'), 'utf8');
  const block = /```nginx\n([\s\S]*?)```/.exec(docs)?.[1]?.replace('http://127.0.0.1:8000', url);
  if (!block?.includes(url)) throw new Error('docs/operations.md has no nginx block');
  return block + block.replace('/bench/', '/other/');
}

describe.skipIf(!hasChromium || !hasNginx)('below a path of nginx', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], async (service) => {
    await service.build(2, 'echo.v', example('echo.v'), 'anonymous');
  });
  let nginx: Nginx;
  beforeAll(async () => {
    nginx = await Nginx.start(locations(bench.service.url));
  });
  afterAll(() => nginx.stop());
  const pages = startPages();

  /** A page, and its requests outside the path. */
  async function open(place: string, options?: PageOptions) {
    const opened = await pages.open(nginx.url + place, options);
    const outside: string[] = [];
    const inside = new RegExp(`^(?:data:|(?:http|ws)${nginx.url.slice('http'.length)}/bench/)`);
    const look = (url: string) => {
      if (!inside.test(url)) outside.push(url);
    };
    opened.page.on('request', (request) => look(request.url()));
    opened.page.on('websocket', (socket) => look(socket.url()));
    return { ...opened, outside };
  }

  test('drops, builds, reads and writes a design, downloads files and follows links, with every request below the path', async () => {
    const { page, complaints, outside } = await open('/bench', { idle: true });
    expect(page.url()).toMatch(/\/bench\/(?:#\/)?$/);
    await live(page);
    await page.getByRole('link', { name: /^Node 3, idle/ }).click();
    await page.setInputFiles('input[type=file]', resourcePath('examples', 'echo.v'));
    await page.getByRole('button', { name: 'Submit to node 3' }).click();
    const socket = page.waitForEvent('websocket');
    await page.getByRole('tab', { name: 'Registers' }).click();
    const command = page.getByLabel('Read or write');
    for (const line of ['0x10=0xCAFE', '0x10']) {
      await command.fill(line);
      await command.press('Enter');
    }
    await page.locator('.transaction', { hasText: '0x0000_CAFE' }).nth(1).waitFor();
    expect((await socket).url()).toBe(`${nginx.url.replace('http', 'ws')}/bench/fpga/3/stream`);

    await page.getByRole('tab', { name: 'Report' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the bitstream' }).click();
    expect(readFileSync(await (await download).path()).length).toBeGreaterThan(100_000);
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.locator('.log-number').first().waitFor();
    // Every screen loads on demand.
    for (const name of ['Jobs', 'Boards', 'Settings', 'Audit']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, exact: true }).first().waitFor();
    }
    await page.reload();
    await live(page);

    // The redirects themselves are in tests/acceptance/server/api/pages.test.ts.
    const [job] = await bench.service.client().listNodeJobs({ fpga_id: 2 });
    for (const link of ['/bench/node/2', `/bench/job/${job?.job_id}`]) {
      await page.goto(nginx.url + link);
      const node = page.getByRole('heading', { name: /^Node 2/ });
      await node.first().waitFor();
      expect([link, page.url()]).toEqual([link, expect.stringContaining(`${nginx.url}/bench/#/node/2`)]);
    }
    expect([complaints.list, outside]).toEqual([[], []]);
  });

  test('/docs works under the content security policy, and sends its requests there', async () => {
    const { page, complaints, outside } = await open('/bench/');
    // One operation of hundreds, and no schemas: of all the page makes thousands of elements.
    await page.route(/\/docs\/json$/, async (route) => {
      const response = await route.fetch();
      const { openapi, info, servers, paths } = await response.json();
      const { summary, tags } = paths['/fpga'].get;
      const get = { summary, tags, responses: { 200: { description: 'The nodes.' } } };
      const document = { openapi, info, servers, paths: { '/fpga': { get } } };
      await route.fulfill({ response, json: document });
    });
    await page.goto(`${nginx.url}/bench/docs`);
    await page.getByText('All ten nodes').click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('"state": "idle"').first().waitFor();
    await page.getByText(`curl -X 'GET' \\\n  '${nginx.url}/bench/fpga'`).waitFor();
    expect([complaints.list, outside]).toEqual([[], []]);
  });

  test('programs and exported scripts use the address with its path', async () => {
    const base = `${nginx.url}/bench`;
    const client = createClient({ base });
    expect(await client.listNodes()).toHaveLength(10);
    const stream = await openStream(client.options, 2, { WebSocket });
    await stream.write(0x10, [0xbeef]);
    expect(await stream.read(0x10)).toEqual([0xbeef]);
    stream.close();
    const script = Buffer.from(await client.exportSessionScript({ fpga_id: 2, format: 'curl' })).toString();
    const env = { ...process.env, WISHBENCH_URL: base, WISHBENCH_NODE: '2' };
    const { stdout } = await run('bash', ['-c', script], { env });
    expect(stdout).toContain('ok ');
  });

  // Last: from then on the bench refuses who has no key.
  test('a user accepts an invitation and signs in there; other paths of the host do not receive the key', async () => {
    const { page } = await open('/bench/#/settings');
    await page.getByRole('switch', { name: 'Require an API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Require an API key?' });
    await dialog.getByRole('textbox', { name: 'Your name' }).fill('lab-1');
    await dialog.getByRole('button', { name: 'Require an API key' }).click();
    await page.getByRole('button', { name: 'You are lab-1' }).waitFor();
    await page.reload();
    await live(page);

    const client = createClient({ base: `${nginx.url}/bench` });
    await expect(client.listNodes()).rejects.toMatchObject({ code: 'missing_api_key' });
    const { code } = await client.createInvite({ body: { owner: 'course-3' } });
    const colleague = await open(`/bench/#/join/${code}`);
    await colleague.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await colleague.page.getByRole('button', { name: 'You are course-3' }).waitFor();
    await live(colleague.page);
    expect([colleague.page.url(), colleague.complaints.list, colleague.outside]).toEqual([
      `${nginx.url}/bench/#/`,
      [],
      [],
    ]);
    await colleague.page.reload();
    await live(colleague.page);
    await colleague.page.goto(`${nginx.url}/other/`);
    await colleague.page.getByText('not signed in', { exact: true }).waitFor();
  });
});
