import type { Expectation, Script, ScriptStep } from '../contract/jobs/scripts.ts';
import { wordsOf } from '../contract/jobs/scripts.ts';
import { describeStep, hexWord, wellFormed } from './words.ts';

/** Quotes any text as a word of bash. */
const quoted = (text: string): string => `'${wellFormed(text).replaceAll("'", "'\\''")}'`;

/** In the notation of \`read_words\` and \`write_words\` of the program. */
function expectationOf(expectation: Expectation): string {
  if (expectation === null) return 'any';
  if (typeof expectation === 'number') return String(expectation);
  if ('mask' in expectation) return `${expectation.mask}:${expectation.value}`;
  if ('min' in expectation) return `${expectation.min}..${expectation.max}`;
  if ('saved' in expectation) return `saved=${expectation.saved}`;
  return `save=${expectation.save_as}`;
}

function linesOf(steps: readonly ScriptStep[], indent: string, depth: number): string[] {
  return steps.flatMap((step) => {
    if (step.op === 'repeat') {
      const index = `i${depth}`;
      return [
        ...(step.says ? [`${indent}# ${step.says}`] : []),
        `${indent}for ((${index} = 0; ${index} < ${step.times}; ${index}++)); do`,
        ...linesOf(step.steps, `${indent}  `, depth + 1),
        `${indent}done`,
      ];
    }
    if (step.op === 'comment') return [`${indent}printf '%s\\n' ${quoted(step.says)}`];
    if (step.op === 'delay') return [`${indent}sleep ${step.ms / 1000}`];
    const head = `${quoted(describeStep(step))} ${hexWord(step.address)}`;
    if (step.op === 'wait') {
      const { mask = 0xffff_ffff, value, timeout_ms = 1000, every_ms = 10 } = step;
      return [`${indent}wait_until ${head} ${mask}:${value} ${timeout_ms} ${every_ms / 1000}`];
    }
    const way = `${step.fixed_address ?? false} ${step.fails ?? false}`;
    if (step.op === 'read')
      return [
        `${indent}read_words ${head} ${way} ${[wordsOf(step), ...(step.expect ?? []).map(expectationOf)].join(' ')}`,
      ];
    const words = step.data.map((word) => (typeof word === 'number' ? word : `saved=${word.saved}`));
    return [`${indent}write_words ${head} ${way} ${words.join(' ')}`];
  });
}

/**
 * Writes a script as a bash program that needs only curl.
 * @param file the design that it programs by default
 * @param url the bench that it calls by default
 */
export function curlOf(
  { says, steps, stop_on_failure: stops = false }: Script,
  file: string,
  url: string,
): string {
  return `#!/usr/bin/env bash
# ${says || 'What a design does, step by step.'}
#
#   bash script.sh [FILE]              builds FILE, programs an idle node with it and releases the node
#   WISHBENCH_NODE=3 bash script.sh    runs on node 3, which you already hold
#
# WISHBENCH_URL and WISHBENCH_KEY say where the bench is and who calls. Exits with 1 if a step failed.
set -u
base=\${WISHBENCH_URL:-${quoted(url)}}
key=\${WISHBENCH_KEY:-\${USER:-script}}
stop=${stops}
failures=0
node=
words=

ask() { curl -sS -H "X-API-Key: $key" "$@"; }

# One field of a flat JSON object.
field() { sed -n 's/.*"'"$1"'":"\\{0,1\\}\\([^,"}]*\\).*/\\1/p'; }

show() { # ok says why
  if [ "$1" = true ]; then
    printf 'ok   %s\\n' "$2"
    return
  fi
  printf 'FAIL %s: %s\\n' "$2" "$3"
  failures=$((failures + 1))
  if [ "$stop" = true ]; then exit 1; fi
}

# Asks for a transaction; its words are in $words. Fails if the design does not acknowledge.
transact() {
  local answer
  answer=$(ask -H 'Content-Type: application/json' -d "$1" "$base/fpga/$node/run?wait=60") || exit 2
  case $answer in
    '{"ok":true,'*) words=$(printf '%s' "$answer" | sed 's/.*"data":\\[\\([^]]*\\)\\].*/\\1/' | tr ',' ' ') ;;
    '{"ok":false,'*) return 1 ;;
    *)
      printf '%s\\n' "$answer" >&2
      exit 2
      ;;
  esac
}

write_words() { # says address fixed fails word...
  local says=$1 address=$(($2)) fixed=$3 fails=$4 data= word name
  shift 4
  for word in "$@"; do
    case $word in
      saved=*)
        name=saved_\${word#saved=}
        if [ -z "\${!name:-}" ]; then
          show false "$says" "no word was saved as \${word#saved=}"
          return
        fi
        word=\${!name}
        ;;
    esac
    data=$data,$word
  done
  if transact "{\\"op\\":1,\\"address\\":$address,\\"fixed_address\\":$fixed,\\"data\\":[\${data#,}]}"; then
    if [ "$fails" = true ]; then show false "$says" 'the design acknowledged'; else show true "$says"; fi
  else
    show "$fails" "$says" 'the design did not acknowledge'
  fi
}

# Whether a word is as expected: any, a number, mask:value, least..most, saved=name; save=name saves it.
meets() {
  local name
  case $2 in
    any) ;;
    save=*) printf -v "saved_\${2#save=}" '%s' "$1" ;;
    saved=*)
      name=saved_\${2#saved=}
      [ "$1" = "\${!name:-}" ]
      ;;
    *:*) [ $(($1 & \${2%:*})) = $((\${2#*:} & \${2%:*})) ] ;;
    *..*) [ "$1" -ge "\${2%..*}" ] && [ "$1" -le "\${2#*..}" ] ;;
    *) [ "$1" = "$2" ] ;;
  esac
}

read_words() { # says address fixed fails count expected...
  local says=$1 address=$(($2)) fixed=$3 fails=$4 count=$5 wrong= word at=0
  shift 5
  if ! transact "{\\"op\\":2,\\"address\\":$address,\\"fixed_address\\":$fixed,\\"count\\":$count}"; then
    show "$fails" "$says" 'the design did not acknowledge'
    return
  fi
  if [ "$fails" = true ]; then
    show false "$says" 'the design acknowledged'
    return
  fi
  for word in $words; do
    if [ $# = 0 ]; then break; fi
    if ! meets "$word" "$1" && [ -z "$wrong" ]; then wrong="word $at is $word, not $1"; fi
    at=$((at + 1))
    shift
  done
  if [ -z "$wrong" ]; then show true "$says"; else show false "$says" "$wrong"; fi
}

wait_until() { # says address mask:value timeout_ms every_s
  local says=$1 address=$(($2)) until=$((SECONDS + ($4 + 999) / 1000))
  while :; do
    if ! transact "{\\"op\\":2,\\"address\\":$address,\\"count\\":1}"; then
      show false "$says" 'the design did not acknowledge'
      return
    fi
    if meets "$words" "$3"; then
      show true "$says"
      return
    fi
    if [ "$SECONDS" -gt "$until" ]; then
      show false "$says" "it is $words"
      return
    fi
    sleep "$5"
  done
}

if [ $# = 0 ] && [ -n "\${WISHBENCH_NODE:-}" ]; then
  node=$WISHBENCH_NODE
else
  design=\${1:-${quoted(file)}}
  job=$(ask -F "file=@\\"$design\\"" "$base/submit") || exit 2
  id=$(printf '%s' "$job" | field job_id)
  while :; do
    case $(printf '%s' "$job" | field status) in
      queued | running) job=$(ask "$base/jobs/$id?wait=30") || exit 2 ;;
      complete) break ;;
      *)
        if [ -n "$id" ]; then ask "$base/jobs/$id/logs" >&2; else printf '%s\\n' "$job" >&2; fi
        exit 2
        ;;
    esac
  done
  node=$(printf '%s' "$job" | field fpga_id)
  trap 'ask -o /dev/null -X POST "$base/fpga/$node/session/release"' EXIT
fi

${linesOf(steps, '', 1).join('\n')}

if [ "$failures" -gt 0 ]; then exit 1; fi
`;
}
