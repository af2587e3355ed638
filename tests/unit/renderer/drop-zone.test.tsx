import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { DropZone } from '../../../renderer/src/screens/node/DropZone.tsx';
import type { Example } from '../../../server/contract/designs/uploads.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { node, status } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const BLINK: Example = {
  file: 'blink.py',
  size: 100,
  title: 'Blink',
  description: 'Blinks.',
  dialect: 'classic, word addresses',
  shows: 'a counter',
  language: 'amaranth',
  script: { steps: [] },
  map: { name: 'blink', registers: [] },
};
const REASON = 'No Python on the PATH can import Amaranth.';

test('Amaranth is offered only if it can be built', async () => {
  const service = new FakeService().on('GET /examples', [BLINK]);
  const { client } = await show(<DropZone node={node(6)} />, service);
  const open = await screen.findByRole<HTMLButtonElement>('button', { name: 'Open blink.py' });
  const accepted = () => document.querySelector('input[type=file]')?.getAttribute('accept')?.split(',');
  for (const available of [true, false]) {
    const language = { language: 'amaranth' as const, available, reason: available ? null : REASON };
    act(() => client.status.setState({ status: status({ languages: [language] }) }));
    screen.getByText(available ? /VHDL or Amaranth: a file/ : /SystemVerilog or VHDL: a file/);
    expect(accepted()?.includes('.py')).toBe(available);
    expect(open.disabled).toBe(!available);
    expect(screen.queryAllByText(REASON)).toHaveLength(available ? 0 : 1);
  }
});
