import { expect, test } from 'vitest';
import { parseNetlist } from '../../../../../server/toolchain/slave/netlist.ts';

test('a netlist truncated by the output limit is reported as too large', () => {
  const begun = Buffer.from('{ "modules": { "design": { "attributes": { "src": "a.v:1.1-2.2" }, "po');
  expect(() => parseNetlist(begun)).toThrow(
    expect.objectContaining({
      code: 'tool_memory',
      message: expect.stringContaining('too large to analyse'),
    }),
  );
});
