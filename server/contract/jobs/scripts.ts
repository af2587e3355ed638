import Type, { type Static, type TSchema } from 'typebox';
import { component, enumOf, nullable } from '../component.ts';
import { READ_PROPOSALS } from './read-proposals.ts';

/** Limits of a script; longer work is for a program that uses a client. */
export const SCRIPT_LIMITS = {
  /** Steps, those inside repeats counted once. */
  steps: 1000,
  /** Nesting depth of repeats. */
  depth: 2,
  /** Words of one step. */
  words: 4096,
  /** Words of all steps together, with every repetition counted. */
  totalWords: 1 << 20,
  /** Executed steps, with every repetition counted. */
  totalSteps: 200_000,
  /** Repetitions of one repeat. */
  times: 100_000,
  /** A delay, or a wait for a value, milliseconds. */
  pauseMs: 60_000,
  /** A whole run, milliseconds. */
  totalMs: 240_000,
  /** A whole run as part of a build, milliseconds. */
  buildMs: 60_000,
} as const;

const strict = { additionalProperties: false } as const;

const Word = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const Address = Type.Integer({
  minimum: 0,
  maximum: 0xffff_fffc,
  multipleOf: 4,
  description: 'Byte address.',
});
// No control characters: it becomes a line of a log and a comment of an exported script.
const Sentence = Type.String({
  maxLength: 500,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  description: 'What it shows.',
});
const Says = Type.Optional(Sentence);
const Fixed = Type.Optional(
  Type.Boolean({ description: 'Every word is written to or read from the same address.', default: false }),
);
const Fails = Type.Optional(
  Type.Boolean({ description: 'The design must not acknowledge: the step passes if it does not.' }),
);
const Saved = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_]{0,31}$',
  description: 'Name of a word that was read.',
});

const SavedWord = Type.Object({ saved: Saved }, { ...strict, description: 'The word of that name.' });

/** The expected value of a word. */
export const Expectation = component(
  'ScriptExpectation',
  Type.Union([
    Type.Null({ description: 'Any word.' }),
    Word,
    Type.Object(
      { mask: Word, value: Word },
      { ...strict, description: 'The bits in the mask must equal these.' },
    ),
    Type.Object(
      { min: Word, max: Word },
      { ...strict, description: 'Unsigned, from min to max, both included.' },
    ),
    Type.Object({ save_as: Saved }, { ...strict, description: 'Any word; it is saved under this name.' }),
    SavedWord,
  ]),
);
export type Expectation = Static<typeof Expectation>;

const WriteStep = Type.Object(
  {
    op: Type.Literal('write'),
    says: Says,
    address: Address,
    data: Type.Array(Type.Union([Word, SavedWord]), { minItems: 1, maxItems: SCRIPT_LIMITS.words }),
    fixed_address: Fixed,
    fails: Fails,
  },
  strict,
);

const ReadStep = Type.Object(
  {
    op: Type.Literal('read'),
    says: Says,
    address: Address,
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SCRIPT_LIMITS.words,
        description: 'Words; when absent, as many as are expected, else 1.',
      }),
    ),
    expect: Type.Optional(
      Type.Array(Expectation, {
        minItems: 1,
        maxItems: SCRIPT_LIMITS.words,
        description: 'Of each word; any further words are accepted.',
      }),
    ),
    fixed_address: Fixed,
    fails: Fails,
  },
  strict,
);

const WaitStep = Type.Object(
  {
    op: Type.Literal('wait'),
    says: Says,
    address: Address,
    mask: Type.Optional(Type.Integer({ ...Word, default: 0xffff_ffff })),
    value: Type.Integer({ ...Word, description: 'The expected value of the bits in the mask.' }),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: SCRIPT_LIMITS.pauseMs, default: 1000 })),
    every_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, default: 10, description: 'Between two reads.' }),
    ),
  },
  strict,
);

const DelayStep = Type.Object(
  {
    op: Type.Literal('delay'),
    says: Says,
    ms: Type.Integer({ minimum: 0, maximum: SCRIPT_LIMITS.pauseMs, description: 'Milliseconds.' }),
  },
  strict,
);

const CommentStep = Type.Object({ op: Type.Literal('comment'), says: Sentence }, strict);

const repeatOf = <T extends TSchema>(step: T) =>
  Type.Object(
    {
      op: Type.Literal('repeat'),
      says: Says,
      times: Type.Integer({ minimum: 1, maximum: SCRIPT_LIMITS.times }),
      steps: Type.Array(step, { minItems: 1, maxItems: SCRIPT_LIMITS.steps }),
    },
    strict,
  );

const PlainStep = component(
  'ScriptPlainStep',
  Type.Union([WriteStep, ReadStep, WaitStep, DelayStep, CommentStep]),
);
/** A step other than a repeat. */
export type PlainStep = Static<typeof PlainStep>;
/** One transaction. */
export type BusStep = Extract<PlainStep, { op: 'write' | 'read' }>;

// Written out to the full depth: few client generators support a recursive schema.
const InnerStep = component('ScriptInnerStep', Type.Union([...PlainStep.anyOf, repeatOf(PlainStep)]));

/** Words that a step reads. */
export const wordsOf = ({
  count,
  expect,
}: Pick<Extract<BusStep, { op: 'read' }>, 'count' | 'expect'>): number => count ?? expect?.length ?? 1;

export const ScriptStep = component('ScriptStep', Type.Union([...PlainStep.anyOf, repeatOf(InnerStep)]));
/** A step of a script: a write, a read, a wait and so on. */
export type ScriptStep = Static<typeof ScriptStep>;

/** Actions on a design and their expected results: the format of examples, recorded sessions and stored scripts. */
export const Script = component(
  'Script',
  Type.Object(
    {
      says: Says,
      steps: Type.Array(ScriptStep, { maxItems: SCRIPT_LIMITS.steps }),
      stop_on_failure: Type.Optional(
        Type.Boolean({ default: false, description: 'Skip everything after a failed step.' }),
      ),
      limit_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: SCRIPT_LIMITS.totalMs,
          default: 60_000,
          description: `Time limit of a run. The run after a build has at most ${SCRIPT_LIMITS.buildMs} ms.`,
        }),
      ),
    },
    {
      ...strict,
      examples: [
        {
          steps: [
            { op: 'write', address: 0, data: [1, 2] },
            { op: 'read', address: 0, expect: [1, { mask: 255, value: 2 }] },
            { op: 'wait', address: 4, mask: 1, value: 0, timeout_ms: 100 },
          ],
        },
      ],
    },
  ),
);
export type Script = Static<typeof Script>;

/** The outcome of a script, in short. */
export const ScriptOutcome = component(
  'ScriptOutcome',
  Type.Object({
    passed: Type.Integer({ description: 'Steps that passed.' }),
    failed: Type.Integer({ description: 'Steps that failed.' }),
    skipped: Type.Integer({ description: 'Steps that did not run.' }),
    ms: Type.Number({ description: 'Milliseconds that it took.' }),
  }),
);
export type ScriptOutcome = Static<typeof ScriptOutcome>;

const ScriptError = Type.Object({
  code: Type.String({
    description:
      '`bus_timeout`, `bus_error`, `wait_timeout`, `word_not_saved`, `script_deadline`, or a code of the error catalogue.',
  }),
  message: Type.String(),
});

const StepResult = Type.Object({
  step: Type.Array(Type.Integer(), {
    description: 'Place in the script: index of the step, and inside of repeats the indices there.',
  }),
  op: enumOf(['write', 'read', 'wait']),
  says: Type.String({ description: 'The label of the step; without one, what the step does.' }),
  ok: nullable(Type.Boolean({ description: 'Null if the step did not run.' })),
  times: Type.Integer({ description: 'How often it ran.' }),
  failures: Type.Integer({ description: 'How often it failed.' }),
  expected: nullable(
    Type.Array(Expectation, {
      description:
        'Expected in the first failure, else in the last run: the first words, saved words with their values.',
    }),
  ),
  got: nullable(Type.Array(Word, { description: 'The first words read in the same run.' })),
  word: nullable(Type.Integer({ description: 'Index of the first word that differs.' })),
  error: nullable(ScriptError),
  ms: Type.Number({ description: 'Milliseconds, all runs together.' }),
});
/** The outcome of one step. */
export type StepResult = Static<typeof StepResult>;

/** Words of a step that a report shows. */
export const REPORTED_WORDS = 16;

/** The outcome of a script: each of its writes, reads and waits. */
export const ScriptReport = component(
  'ScriptReport',
  Type.Object({
    ...ScriptOutcome.properties,
    at: Type.String({ format: 'date-time', description: 'When it began.' }),
    says: Type.String({ description: 'The label in the script; empty without one.' }),
    steps: Type.Array(StepResult, {
      description: 'In the order of the script, without delays and comments.',
    }),
    stopped: nullable(ScriptError),
  }),
);
export type ScriptReport = Static<typeof ScriptReport>;

/** A script to run on a node. */
export const ScriptRun = component(
  'ScriptRun',
  Type.Object(
    {
      script: Type.Optional(Script),
      design_id: Type.Optional(
        Type.String({
          maxLength: 128,
          description: 'The script of this design, instead of one that is sent.',
        }),
      ),
    },
    {
      ...strict,
      description: 'Neither: the stored script of the node’s design.',
      examples: [{ script: { steps: [{ op: 'read', address: 0, expect: [1] }] } }],
    },
  ),
);
export type ScriptRun = Static<typeof ScriptRun>;

const SeenWord = Type.Object({
  value: Type.Integer({ ...Word, description: 'What this step read.' }),
  reads: Type.Integer({ description: 'How often the session read the word, polls included.' }),
  min: Type.Integer({ ...Word, description: 'The smallest value of these, and the largest.' }),
  max: Word,
  stable: Type.Integer({ ...Word, description: 'The bits that were the same each time.' }),
  proposal: enumOf(READ_PROPOSALS, { description: 'What the step expects of it.' }),
});
/** What a session shows about a word that it read. */
export type SeenWord = Static<typeof SeenWord>;

const RecordedRead = Type.Object({
  step: Type.Array(Type.Integer(), { description: 'Place in the script, as in a report.' }),
  words: Type.Array(SeenWord),
});
/** A read of a recorded script, with what the session shows about its words. */
export type RecordedRead = Static<typeof RecordedRead>;

/** A script generated from a session. */
export const RecordedScript = component(
  'RecordedScript',
  Type.Object({
    script: Script,
    skipped: Type.Integer({
      description: 'Transactions that it lacks: no longer in the record, refused, or too many for a script.',
    }),
    reads: Type.Optional(
      Type.Array(RecordedRead, {
        description: 'What the session shows about the words of its reads, of up to 16 words each.',
      }),
    ),
  }),
);
export type RecordedScript = Static<typeof RecordedScript>;

export const SCRIPT_EXPORTS = ['curl', 'py', 'ts'] as const;
/** `curl`: bash with curl; `py`, `ts`: Python and TypeScript with the clients of the bench. */
export type ScriptExport = (typeof SCRIPT_EXPORTS)[number];
