import Type, { type Static } from 'typebox';
import { NODE_COUNT } from '../boards/node-count.ts';
import { component, enumOf, integerOf, nullable } from '../component.ts';
import { Diagnostic } from '../diagnostics.ts';
import { type Stage, SubmitOptions } from '../jobs/jobs.ts';
import { Script } from '../jobs/scripts.ts';
import { Utilisation } from '../jobs/utilisation.ts';
import { Declaration, MAX_DECLARATIONS } from './declarations.ts';
import { DecodedRegister, MAX_DECODED } from './decoded-registers.ts';
import { RegisterMap } from './register-map.ts';

/** The form of a submit and of a scan, as OpenAPI shows it. */
export const DesignForm = Type.Object({
  file: Type.Unsafe<UploadedFile | readonly UploadedFile[]>({
    type: 'string',
    contentMediaType: 'application/octet-stream',
    format: 'binary',
    description:
      'One HDL source file: Verilog (.v), SystemVerilog (.sv), VHDL (.vhd, .vhdl) or Amaranth (.py); or a project: a .zip of several, or several parts of this name with relative paths as file names.',
  }),
  pcf: Type.Optional(
    Type.Unsafe<UploadedFile>({
      type: 'string',
      contentMediaType: 'application/octet-stream',
      format: 'binary',
      description:
        'A .pcf for the board: ports with a line for every bit are bound to pins of the board, as with `pins`. The same as a .pcf among the files of a project.',
    }),
  ),
  ...SubmitOptions.properties,
});

/** The form of a submit without a node. */
export const PlacedForm = Type.Object({
  ...DesignForm.properties,
  fpga_id: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: NODE_COUNT - 1,
      description: 'Wait for this node only, in line with the jobs for any node.',
    }),
  ),
});

/** A source file as a client sends it. */
export interface UploadedFile {
  /** Base name, or the path within a project; its extension selects the language. */
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

const DesignPin = Type.Object({
  name: Type.String(),
  direction: enumOf(['input', 'output', 'inout']),
  width: Type.Integer(),
  at: Type.Integer({
    description:
      'Its lowest bit among those of its direction in the port block; an inout lies among the outputs, its level first and then which bits of it the design drives.',
  }),
  released_at: Type.Optional(
    Type.Integer({
      description:
        'Of an inout: its lowest bit among the inputs, which give its level where the design does not drive it.',
    }),
  ),
  high: Type.Boolean({
    description: 'An input with all bits 1 initially, or an undriven inout; otherwise it is 0.',
  }),
  initial: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-f]{1,16}$',
      description: 'The initial value of an input, if the submit has one.',
    }),
  ),
  bound: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Pins of the board, the lowest bit first: the port is wired to them, and the port block samples it, even if it is an input.',
    }),
  ),
});
export type DesignPin = Static<typeof DesignPin>;

/** The place of a module's declaration. A translated module has its original source; absent where that is unknown. */
const DECLARED = {
  file: Type.Optional(Type.String({ description: 'Where it is declared, as findings name the file.' })),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
};

/** The matched slave of a design: shown before and after the build. */
export const MatchedDesign = component(
  'MatchedDesign',
  Type.Object({
    module: Type.String(),
    ...DECLARED,
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
    addressingDoubt: Type.Optional(
      Type.String({
        description:
          'Why to check the addressing: if it is the other one, registers 1 and up are elsewhere. Submit with `addressing` then. Absent if there is no doubt.',
      }),
    ),
    resetActiveLow: Type.Boolean(),
    handshake: enumOf(['classic', 'pipelined']),
    ties: Type.Array(
      Type.Object({
        port: Type.String(),
        width: Type.Integer(),
        value: integerOf([0, 1]),
        reason: Type.String(),
      }),
      {
        description: 'Extra inputs and the level that ties them; those of the port block only initially.',
      },
    ),
    pins: Type.Optional(
      Type.Array(DesignPin, {
        description: 'Extra ports that the port block reaches; see GET /fpga/{id}/pins.',
      }),
    ),
    terminal: Type.Optional(
      Type.Object(
        {
          input: Type.String(),
          output: Type.String(),
          baud: Type.Integer({ description: 'Initial rate, bits a second.' }),
        },
        {
          description:
            'The pins that are a serial line with the bench at its other end; see GET /fpga/{id}/terminal.',
        },
      ),
    ),
    open: Type.Array(Type.String(), {
      description: 'Outputs left open and inouts left unconnected, for which the port block has no room.',
    }),
    ports: Type.Array(Port),
    registers: Type.Optional(
      Type.Array(DecodedRegister, {
        maxItems: MAX_DECODED,
        description: 'Registers that its logic decodes, by address; absent where none are found.',
      }),
    ),
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
        ...DECLARED,
        ports: Type.Array(Port),
        problem: nullable(Type.String({ description: 'Why it is not a candidate.' })),
      }),
      {
        description: 'Every module with the reason why it is not a candidate; empty when nothing elaborated.',
      },
    ),
    diagnostics: Type.Array(Diagnostic),
    declarations: Type.Optional(
      Type.Array(Declaration, {
        maxItems: MAX_DECLARATIONS,
        description: 'What the modules declare; absent if the sources could not be read.',
      }),
    ),
    /** The map inferred from the source; absent where it shows none. */
    proposal: Type.Optional(RegisterMap),
  }),
);
export type ScanResult = Static<typeof ScanResult>;

const Path = Type.Array(
  Type.Object({ from: Type.String(), to: Type.String(), delay_ns: Type.Number(), type: Type.String() }),
  { description: 'From the start of the path to its end.' },
);

const Timing = Type.Object({
  fmax_mhz: nullable(Type.Number({ description: 'Null when the design has no register-to-register path.' })),
  target_mhz: Type.Number(),
  clock_mhz: Type.Optional(Type.Number({ description: 'The clock of the design on the board.' })),
  met: Type.Boolean(),
  critical_path: Path,
  design: Type.Optional(
    Type.Object(
      { fmax_mhz: nullable(Type.Number()), critical_path: Path },
      {
        description:
          'Fmax of the slowest path that begins in, ends in or leads through the design. Absent if there is none or it is unknown, as in reports of earlier versions.',
      },
    ),
  ),
});

const Probe = Type.Object({
  name: Type.String({ description: 'A signal or bits of one, as requested.' }),
  width: Type.Integer({ description: 'Bits.' }),
  at: Type.Integer({ description: 'Its lowest bit among those of a sample of the core.' }),
  signal: Type.String({ description: 'The signal that it is a part of, or all of.' }),
  from: Type.Integer({ description: 'The bit of the signal that its lowest bit is, from 0 on.' }),
  signal_width: Type.Integer(),
  low: Type.Integer({ description: 'The lower end of the signal’s range in the source.' }),
  ascending: Type.Boolean({ description: 'Its range counts upwards, as in `[0:7]`.' }),
  file: Type.Optional(Type.String({ description: 'Where it is declared.' })),
  line: Type.Optional(Type.Integer()),
});
export type Probe = Static<typeof Probe>;

/** The capture core of a build with probes. */
export const CaptureCore = component(
  'CaptureCore',
  Type.Object({
    bits: Type.Integer({ description: 'Of a sample: all probes together.' }),
    depth: Type.Integer({ description: 'Samples that it stores.' }),
    luts: Type.Integer({ description: 'Look-up tables that it uses.' }),
    flip_flops: Type.Integer(),
    block_rams: Type.Integer(),
    probes: Type.Array(Probe),
  }),
);
export type CaptureCore = Static<typeof CaptureCore>;

export const BuildReport = component(
  'BuildReport',
  Type.Object({
    build_id: Type.String(),
    board: Type.String(),
    part: Type.String(),
    engine: Type.String(),
    cached: Type.Boolean(),
    design: MatchedDesign,
    capture_core: Type.Optional(CaptureCore),
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

export const LANGUAGES = ['verilog', 'systemverilog', 'vhdl', 'amaranth'] as const;

/** A language of designs. */
export type Language = (typeof LANGUAGES)[number];

/** Whether designs in a language can be built here. */
export const LanguageSupport = component(
  'LanguageSupport',
  Type.Object({
    language: enumOf(LANGUAGES),
    available: Type.Boolean(),
    reason: nullable(Type.String({ description: 'Why it cannot be built here, and the remedy.' })),
  }),
);
export type LanguageSupport = Static<typeof LanguageSupport>;

/** An example design as resources/examples/index.json has it. */
export const ExampleEntry = Type.Object({
  file: Type.String(),
  title: Type.String(),
  description: Type.String(),
  dialect: Type.String({ description: 'The style of its bus ports.' }),
  language: enumOf(LANGUAGES),
  shows: Type.String({ description: 'What its script shows, in a sentence.' }),
  map: RegisterMap,
  script: Script,
});
export type ExampleEntry = Static<typeof ExampleEntry>;

export const Example = component(
  'Example',
  Type.Object({ ...ExampleEntry.properties, size: Type.Integer({ description: 'Bytes.' }) }),
);
export type Example = Static<typeof Example>;
