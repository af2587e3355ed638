import { strToU8, zipSync } from 'fflate';
import { afterEach, expect, test } from 'vitest';
import { drafts, type PickedFile, takeFiles } from '../../../renderer/src/state/drafts/drafts.ts';
import { submitWay } from '../../../renderer/src/state/drafts/submission.ts';
import { unpackProject } from '../../../renderer/src/state/files/project-archive.ts';
import { MAX_PROJECT_FILES } from '../../../server/contract/designs/project-files.ts';
import { FakeService, fakeBench } from '../../support/renderer/fake-service.ts';
import { node, reserved, status } from '../../support/renderer/fixtures.ts';

afterEach(() => drafts.setState({}, true));

const picked = (path: string, contents: string | Uint8Array<ArrayBuffer>): PickedFile => ({
  path,
  file: new File([contents], path.split('/').at(-1) ?? ''),
});

const namesOf = (id: number) => drafts.getState()[id]?.files.map(({ name }) => name);

test('a folder is a project: its files by their paths inside it', async () => {
  const { client } = fakeBench();
  await takeFiles(client, 0, [
    picked('soc/top.v', 'module top; endmodule'),
    picked('soc/rom/init.hex', '00'),
  ]);
  expect(drafts.getState()[0]?.name).toBe('soc');
  expect(namesOf(0)).toEqual(['rom/init.hex', 'top.v']);
});

test('an archive is unpacked without its top folder and system files', async () => {
  const archive = zipSync({
    'soc/top.v': strToU8('module top; endmodule'),
    'soc/lib/fifo.v': strToU8('module fifo; endmodule'),
    '__MACOSX/soc/._top.v': strToU8('x'),
    'soc/.git/config': strToU8('x'),
  });
  const { client } = fakeBench();
  await takeFiles(client, 0, [picked('soc.zip', new Uint8Array(archive))]);
  expect(drafts.getState()[0]?.name).toBe('soc');
  expect(namesOf(0)).toEqual(['lib/fifo.v', 'top.v']);
});

test('a repository’s design files are uploaded under sanitised names, the others are not', async () => {
  const { client } = fakeBench();
  const manual = new Uint8Array(2 ** 20 + 1);
  const repository = zipSync({
    'core-main/README.md': strToU8('# core'),
    'core-main/doc/manual.pdf': manual,
    'core-main/RTL files/top.v': strToU8('module top; endmodule'),
  });
  await takeFiles(client, 0, [picked('core-main.zip', new Uint8Array(repository))]);
  expect(namesOf(0)).toEqual(['top.v']);
  expect(drafts.getState()[0]).toMatchObject({
    name: 'top.v',
    aside: ['core-main/README.md', 'core-main/doc/manual.pdf'],
  });
  await takeFiles(client, 1, [
    picked('core/out/core.bit', manual),
    picked('core/RTL files/top.v', 'module top; endmodule'),
    picked('core/defs.vh', '`define W 8'),
  ]);
  expect(namesOf(1)).toEqual(['RTL_files/top.v', 'defs.vh']);
  expect(drafts.getState()[1]).toMatchObject({ name: 'core', aside: ['core/out/core.bit'] });
  await takeFiles(client, 2, [picked('core/a.pdf', 'a'), picked('core/b.md', 'b')]);
  expect(drafts.getState()[2]).toBeUndefined();
  expect(client.toasts.getState().toasts.at(-1)).toMatchObject({
    tone: 'bad',
    text: 'core has no HDL file.',
  });
});

test('accepts as many files as the limit; above it, reports the limit, ignoring other files', async () => {
  const { client } = fakeBench();
  const files = [picked('soc/README.md', '#'), picked('soc/top.v', 'module top; endmodule')];
  while (files.length <= MAX_PROJECT_FILES) files.push(picked(`soc/rtl/m${files.length}.v`, '//'));
  await takeFiles(client, 4, files);
  expect(drafts.getState()[4]).toMatchObject({ name: 'soc', aside: ['soc/README.md'] });
  expect(namesOf(4)).toHaveLength(MAX_PROJECT_FILES);
  await takeFiles(client, 5, [...files, picked('soc/rtl/last.v', '//')]);
  expect(drafts.getState()[5]).toBeUndefined();
  expect(client.toasts.getState().toasts.at(-1)).toMatchObject({
    text: 'soc has too many sources, headers and data files.',
    remedy: 'A project has at most 2000 of them. Choose only the folder of the design, or a zip of it.',
  });
});

test('two files that map to one name are refused', async () => {
  const { client } = fakeBench();
  await takeFiles(client, 3, [
    picked('soc/a b.v', 'module a; endmodule'),
    picked('soc/a_b.v', 'module b; endmodule'),
  ]);
  expect(drafts.getState()[3]).toBeUndefined();
  expect(client.toasts.getState().toasts.at(-1)?.text).toMatch(/same name, a_b\.v/);
});

test('an oversized archive is not unpacked, and a damaged one is reported', () => {
  const large = zipSync({ 'a.v': new Uint8Array(100_000) });
  expect(large.length).toBeLessThan(1000);
  expect(unpackProject(large, 50_000)).toMatch(/larger than/);
  expect(unpackProject(strToU8('no archive'), 50_000)).toMatch(/not a zip archive/);
});

test('an unbuildable Amaranth design is refused at once', async () => {
  const reason = 'No Python on the PATH can import Amaranth.';
  const service = new FakeService();
  const { client } = fakeBench(service);
  client.status.setState({
    status: status({ languages: [{ language: 'amaranth', available: false, reason }] }),
  });
  await takeFiles(client, 0, [picked('design.py', 'import amaranth')]);
  expect(drafts.getState()[0]).toBeUndefined();
  expect(client.toasts.getState().toasts.at(-1)).toMatchObject({ tone: 'bad', remedy: reason });
  expect(service.asked).toEqual([]);
});

test('the submit action depends on the node’s holder and state', () => {
  expect(submitWay(node(0), 'lab-1').kind).toBe('submit');
  expect(submitWay(reserved(0, 'lab-1'), 'lab-1').kind).toBe('replace');
  expect(submitWay(reserved(0, 'lab-2'), 'lab-1').kind).toBe('wait');
  expect(submitWay(node(0, { state: 'building' }), 'lab-1').kind).toBe('wait');
  expect(submitWay(node(0, { state: 'error' }), 'lab-1').kind).toBe('never');
  expect(submitWay(reserved(0, 'lab-1', { resetting: true }), 'lab-1').kind).toBe('never');
});

test('files that are read slowly open their tab only where the person waits for it', async () => {
  const { client } = fakeBench();
  for (const [meanwhile, then] of [
    ['#/node/7', '#/node/7/design'],
    ['#/jobs', '#/jobs'],
  ] as const) {
    window.location.hash = '#/node/7';
    const taken = takeFiles(client, 7, [picked('top.v', 'module top; endmodule')]);
    window.location.hash = meanwhile;
    await taken;
    expect([window.location.hash, namesOf(7)]).toEqual([then, ['top.v']]);
  }
  window.location.hash = '';
});
