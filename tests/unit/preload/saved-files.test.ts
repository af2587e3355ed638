import { expect, test } from 'vitest';
import type { SavedFile } from '../../../preload/bridge.ts';
import { SavedFiles } from '../../../preload/saved-files.ts';

const save = (fpga_id: number, text: string): SavedFile => ({
  fpga_id,
  file: { path: '/a.v', name: 'a.v', contents: new TextEncoder().encode(text) },
});
const texts = (saves: SavedFile[]) =>
  saves.map(({ fpga_id, file }) => `${fpga_id}: ${new TextDecoder().decode(file.contents)}`);

/** The application's end: what waits there, and the answers that are on their way until `answer` is called. */
function application() {
  const waiting: SavedFile[] = [];
  const answers: (() => void)[] = [];
  const take = () => {
    const taken = waiting.splice(0);
    return new Promise<SavedFile[]>((resolve) => answers.push(() => resolve(taken)));
  };
  const answer = async () => {
    for (const one of answers.splice(0)) one();
    await new Promise(setImmediate);
  };
  return { waiting, take, answer };
}

test('saves from before the first listener are delivered to it, and every later save', async () => {
  const { waiting, take, answer } = application();
  const files = new SavedFiles(take);
  waiting.push(save(3, 'early'));
  await files.fetch();
  expect(waiting).toHaveLength(1); // nobody listens: it stays where it outlives the page

  const heard: SavedFile[] = [];
  const end = files.subscribe((saved) => heard.push(saved));
  await answer();
  waiting.push(save(3, 'late'), save(4, 'other'));
  void files.fetch();
  await answer();
  expect(texts(heard)).toEqual(['3: early', '3: late', '4: other']);

  end();
  waiting.push(save(3, 'unheard'));
  void files.fetch();
  await answer();
  expect(heard).toHaveLength(3);
  expect(waiting).toHaveLength(1);
});

test('a save that arrives as the last listener leaves waits for the next, newest per node', async () => {
  const { waiting, take, answer } = application();
  const files = new SavedFiles(take);
  for (const text of ['first', 'second']) {
    waiting.push(save(5, text));
    files.subscribe(() => expect.fail('it has gone'))();
    await answer();
  }
  const heard: SavedFile[] = [];
  files.subscribe((saved) => heard.push(saved));
  await answer();
  expect(texts(heard)).toEqual(['5: second']);
});
