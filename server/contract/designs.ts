import Type, { type Static } from 'typebox';
import { component, enumOf, integerOf, nullable } from './component.ts';
import { Diagnostic } from './diagnostics.ts';
import { type Stage, SubmitOptions, Word } from './jobs.ts';

/** The form of a submit and of a scan, as OpenAPI shows it. */
export const DesignForm = Type.Object({
  file: Type.Unsafe<UploadedFile>({
    type: 'string',
    contentMediaType: 'application/octet-stream',
    format: 'binary',
    description:
      'One HDL source file: Verilog (.v), SystemVerilog (.sv), VHDL (.vhd, .vhdl) or Amaranth (.py).',
  }),
  ...SubmitOptions.properties,
});

/** A source file as a client sends it. */
export interface UploadedFile {
  /** Base name; its extension chooses the language. */
  name: string;
  contents: Uint8Array | string;
}

const Port = Type.Object({
  name: Type.String(),
  direction: enumOf(['input', 'output', 'inout']),
  width: Type.Integer(),
  offset: Type.Integer(),
});
export type Port = Static<typeof Port>;

/** What the matcher found in a design: shown before and after the build. */
export const MatchedDesign = component(
  'MatchedDesign',
  Type.Object({
    module: Type.String(),
    roles: Type.Record(Type.String(), Type.String(), {
      description: 'Role on the bus to the design’s port, e.g. `ack` to `wb_ack_o`.',
    }),
    dataWidth: Type.Integer({
      minimum: 1,
      maximum: 32,
      description: 'Bits of the data ports, 1 to 32; narrower ones than 32 read as zero-extended.',
    }),
    addressWidth: Type.Integer(),
    addressing: enumOf(['byte', 'word']),
    addressingReason: Type.String({ description: 'How the addressing was decided.' }),
    resetActiveLow: Type.Boolean(),
    handshake: enumOf(['classic', 'pipelined']),
    ties: Type.Array(
      Type.Object({
        port: Type.String(),
        width: Type.Integer(),
        value: integerOf([0, 1]),
        reason: Type.String(),
      }),
      { description: 'Extra inputs and what they are tied to.' },
    ),
    open: Type.Array(Type.String(), { description: 'Outputs left open and inouts left unconnected.' }),
    ports: Type.Array(Port),
  }),
);
export type MatchedDesign = Static<typeof MatchedDesign>;

export const ScanResult = component(
  'ScanResult',
  Type.Object({
    matched: nullable(MatchedDesign),
    modules: Type.Array(
      Type.Object({
        name: Type.String(),
        ports: Type.Array(Port),
        problem: nullable(Type.String({ description: 'Why it is no candidate.' })),
      }),
      { description: 'Every module with why it is no candidate; empty when nothing elaborated.' },
    ),
    diagnostics: Type.Array(Diagnostic),
  }),
);
export type ScanResult = Static<typeof ScanResult>;

const Utilisation = Type.Object({
  resource: Type.String({ description: 'E.g. `LUT`, `FF`, `BRAM`, `carry`, `IO`.' }),
  used: Type.Integer(),
  available: Type.Integer(),
});
export type Utilisation = Static<typeof Utilisation>;

const Timing = Type.Object({
  fmax_mhz: nullable(Type.Number({ description: 'Null when the design has no register-to-register path.' })),
  target_mhz: Type.Number(),
  met: Type.Boolean(),
  critical_path: Type.Array(
    Type.Object({ from: Type.String(), to: Type.String(), delay_ns: Type.Number(), type: Type.String() }),
    { description: 'From the start of the path to its end.' },
  ),
});

export const BuildReport = component(
  'BuildReport',
  Type.Object({
    build_id: Type.String(),
    board: Type.String(),
    part: Type.String(),
    engine: Type.String(),
    cached: Type.Boolean(),
    design: MatchedDesign,
    utilisation: Type.Array(Utilisation),
    timing: Timing,
    seconds: Type.Unsafe<Partial<Record<Stage, number>>>({
      type: 'object',
      additionalProperties: { type: 'number' },
      description: 'Stage to seconds.',
    }),
    versions: Type.Record(Type.String(), Type.String(), { description: 'Tool to version.' }),
    peak_memory_bytes: Type.Optional(Type.Integer()),
    diagnostics: Type.Array(Diagnostic),
    bitstream_size: Type.Integer({ description: 'Bytes.' }),
  }),
);
export type BuildReport = Static<typeof BuildReport>;

/** An example design as resources/examples/index.json has it. */
export const ExampleEntry = Type.Object({
  file: Type.String(),
  title: Type.String(),
  description: Type.String(),
  dialect: Type.String({ description: 'How its bus is written.' }),
  language: enumOf(['verilog', 'systemverilog', 'vhdl', 'amaranth']),
  try: Type.Array(
    Type.Object({
      says: Type.String({ description: 'What the transaction shows.' }),
      op: integerOf([1, 2], { description: '1 = write, 2 = read.' }),
      address: Type.Integer(),
      data: Type.Optional(Type.Array(Word)),
      count: Type.Optional(Type.Integer()),
      fixed_address: Type.Optional(Type.Boolean()),
      expect: Type.Optional(
        Type.Array(nullable(Word), {
          description: 'The words that a read brings; null where any word will do.',
        }),
      ),
      fails: Type.Optional(Type.Boolean({ description: 'The design does not acknowledge, as it should.' })),
    }),
    { description: 'Transactions that show what the design does, in order.' },
  ),
});
export type ExampleEntry = Static<typeof ExampleEntry>;

export const Example = component(
  'Example',
  Type.Object({ ...ExampleEntry.properties, size: Type.Integer({ description: 'Bytes.' }) }),
);
export type Example = Static<typeof Example>;
