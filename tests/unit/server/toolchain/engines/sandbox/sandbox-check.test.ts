import { expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import { checkSandbox } from '../../../../../../server/toolchain/engines/sandbox/sandbox-check.ts';

const none = async () => ({ kind: 'missing' as const, reason: 'bubblewrap (bwrap) is not installed' });

test('the doctor explains a missing sandbox according to the operator’s setting', async () => {
  const off = await checkSandbox(systemClock, false, none);
  expect(off.status).toBe('skipped');
  expect(off.message).toContain(
    'bubblewrap (bwrap) is not installed. Designs in VHDL and Python are refused',
  );
  const on = await checkSandbox(systemClock, true, none);
  expect(on.status).toBe('warning');
  expect(on.message).toContain('only a source check protects the files of this computer from designs');
  expect(on.remedy).toContain('toolchain.vhdl_without_sandbox');
  expect((await checkSandbox(systemClock, undefined, none)).message).toContain(
    'unless toolchain.vhdl_without_sandbox is set',
  );
});

test('only Linux is offered an installation', async () => {
  const said = async (platform: NodeJS.Platform) =>
    (await checkSandbox(systemClock, false, none, platform)).message;
  expect(await said('linux')).toContain('apt install bubblewrap');
  expect(await said('win32')).toMatch(/Only Linux has one\. Designs in Verilog need none\.$/);
});
