import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;

describe('boards over REST, with the real pool of boards', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start({ realBoards: true });
  });
  afterAll(() => bench.stop());

  test('GET /boards lists every slot’s board first', async () => {
    const { status, body } = await bench.get<{ boards: { id: string; slot: number }[]; problems: object[] }>(
      '/boards',
    );
    expect(status).toBe(200);
    expect(body.boards.slice(0, 10).map(({ id, slot }) => [id, slot])).toEqual(
      Array.from({ length: 10 }, (_, slot) => [`virtual:${slot}`, slot]),
    );
    for (const problem of body.problems) expect(Object.keys(problem)).toEqual(['code', 'message', 'remedy']);
  });

  test('PUT /boards/{id}: assigns the virtual board, rejects unknown boards and bad bodies', async () => {
    const virtual = await bench.put<{ id: string }>('/boards/3', { json: { board: null } });
    expect([virtual.status, virtual.body.id]).toEqual([200, 'virtual:3']);
    const unknown = await bench.put('/boards/3', { json: { board: 'usb:nothing' } });
    expect([unknown.status, refusal(unknown).error]).toEqual([404, 'board_unknown']);
    for (const json of [
      {},
      { board: 1 },
      { board: '' },
      { board: null, mode: 'rom' },
      { board: null, definition: '' },
      [],
    ]) {
      const answer = await bench.put('/boards/3', { json });
      expect([JSON.stringify(json), answer.status]).toEqual([JSON.stringify(json), 422]);
    }
    expect((await bench.put('/boards/10', { json: { board: null } })).status).toBe(422);
  });

  test('POST /doctor finds out how this computer is', async () => {
    const { status, body } = await bench.post<{ id: string; status: string; remedy?: string }[]>('/doctor');
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThan(3);
    for (const { status, remedy } of body) if (status === 'problem') expect(remedy).toMatch(/\S/);
  });
});
