import { expect, test } from 'vitest';
import { scanDesignSources } from '../../../../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../../../../server/toolchain/intake/design.ts';
import { everyNth } from '../../../../../support/soak.ts';
import { packed } from '../../../../../support/toolchain/build/projects.ts';
import { requestOf } from '../../../../../support/toolchain/build/support.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { plainYosys } from '../../../../../support/toolchain/support.ts';

const BROKEN = 'module broken(input a; endmodule\n';
const AROUND = 'module around(input wb_clk, input [3:0] x); slave u(.wb_clk(wb_clk), ; endmodule\n';
const OTHER_SLAVE = slave('assign wb_dat_r = ;').replace('slave', 'other');
const ENCRYPTED = `\`pragma protect begin_protected
\`pragma protect version = 1
\`pragma protect encrypt_agent = "ACME", encrypt_agent_info = "1.0"
\`pragma protect data_method = "aes256-cbc"
\`pragma protect encoding = (enctype = "base64", line_length = 64, bytes = 96)
\`pragma protect data_block
dGhpcyBpcyBub3QgcmVhbGx5IGVuY3J5cHRlZCBidXQgbG9va3MgbGlrZSBpdCBkb2Vz
c29tZXRoaW5nIGVsc2UgdGhhdCBpcyBub3QgVmVyaWxvZyBhdCBhbGwgPT09PT09PT0=
\`pragma protect end_protected
`;
const MISSING = 'module lacking(input a, output b); nowhere u(.a(a), .b(b)); endmodule\n';
const TWICE = 'module twice; endmodule module twice; endmodule\n';
const ASSERTS =
  'module part(input [7:0] a); endmodule module asserting(input [3:0] n); part u(.a($signed(n))); endmodule\n';

const EXTRA: Record<string, string> = { BROKEN, AROUND, OTHER_SLAVE, ENCRYPTED, MISSING, TWICE, ASSERTS };
const pairs = Object.keys(EXTRA).flatMap((one, at) =>
  Object.keys(EXTRA)
    .slice(at + 1)
    .map((other) => [one, other]),
);

// Every pair in the soak.
test.each([...Object.keys(EXTRA).map((one) => [one]), ...everyNth(4, pairs), Object.keys(EXTRA)])(
  'with a top given, excludes %s %s',
  async (...names) => {
    const files = Object.fromEntries(
      names.map((name, at) => [`${'amz'[at % 3]}_${name.toLowerCase()}.v`, EXTRA[name]!]),
    );
    const request = requestOf(
      await packed({ 'slave.v': slave('assign wb_dat_r = 0;'), ...files }),
      'some.zip',
      { top: 'slave' },
    );
    const { design } = await prepareDesign(request);
    const { outcome } = await scanDesignSources(design, request, plainYosys, { log() {}, progress() {} });
    expect(outcome).toMatchObject({ kind: 'matched', design: { module: 'slave' } });
  },
);
