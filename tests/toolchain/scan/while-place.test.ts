import { expect, test } from 'vitest';
import { scanText } from '../support.ts';

test('a loop that cannot be built is told with its line', async () => {
  const { diagnostics } = await scanText(
    `module m(input [7:0] d, output reg [7:0] q);
  function integer log2(input integer x);
    begin log2 = 0; while (x > 1) begin x = x / 2; log2 = log2 + 1; end end
  endfunction
  localparam W = log2(8);
  always @* begin
    q = d;
    while (q[W])
      q = q + 1;
  end
endmodule
`,
  );
  expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'design.v', line: 8 });
  expect(diagnostics[0]?.message).toContain('a `while` cannot be built');
});
