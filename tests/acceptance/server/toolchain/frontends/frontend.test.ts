import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Language } from '../../../../../server/contract/designs/uploads.ts';
import { type CreateFrontend, FRONTENDS } from '../../../../../server/toolchain/frontends/index.ts';
import { SOURCE_FORMS } from '../../../../../server/toolchain/languages/language.ts';
import { PLAIN_FORM, type SourceForm } from '../../../../../server/toolchain/languages/source-form.ts';
import { freshToolchain, record, requestOf } from '../../../../support/toolchain/build/support.ts';

/** An unknown language, in which each line names a register of a slave. */
const LANGUAGE = 'registers' as Language;

const registers: CreateFrontend = () => ({
  name: 'registers',
  languages: [LANGUAGE],
  program: async () => ({
    tool: 'registers',
    versionOf: 'registers',
    found: { path: '/bin/registers', version: '1.0' },
  }),
  refusal: async () => null,
  async translate(request, source) {
    const names = Object.values(source.files).join('').trim().split('\n');
    const text = `module registers (input clk_i, rst_i, wb_cyc_i, wb_stb_i, wb_we_i, input [7:0] wb_adr_i,
  input [31:0] wb_dat_i, output reg [31:0] wb_dat_o, output reg wb_ack_o);
${names.map((name) => `reg [31:0] ${name};`).join('\n')}
always @(posedge clk_i) begin
  wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o;
  if (wb_we_i) case (wb_adr_i)
${names.map((name, at) => `    ${at}: ${name} <= wb_dat_i;`).join('\n')}
  endcase
  case (wb_adr_i)
${names.map((name, at) => `    ${at}: wb_dat_o <= ${name};`).join('\n')}
    default: wb_dat_o <= 0;
  endcase
end
endmodule
`;
    const made = { ...source, language: 'verilog' as const, files: { 'made.v': text }, units: ['made.v'] };
    return { request, source: made };
  },
});

const FORM: SourceForm = {
  ...PLAIN_FORM,
  group: LANGUAGE,
  language: LANGUAGE,
  extensions: ['regs'],
  title: 'registers',
  comment: /;.*/,
};

beforeAll(() => {
  FRONTENDS.push(registers);
  SOURCE_FORMS.push(FORM);
});
afterAll(() => {
  FRONTENDS.splice(FRONTENDS.indexOf(registers), 1);
  SOURCE_FORMS.splice(SOURCE_FORMS.indexOf(FORM), 1);
});

test('an added front end reads its language, and its program is among the tools', async () => {
  const { toolchain, dispose } = freshToolchain();
  expect(await toolchain.languages()).toContainEqual({ language: LANGUAGE, refusal: null });
  expect(await toolchain.engines()).toContainEqual({
    name: 'registers',
    tool: 'registers',
    version: '1.0',
    path: '/bin/registers',
  });
  const { matched } = await toolchain.scan(requestOf('control\nstatus\n', 'lab.regs'), record());
  expect(matched).toMatchObject({ module: 'registers', addressWidth: 8 });
  await dispose();
});
