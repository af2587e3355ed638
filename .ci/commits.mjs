// `npm run check -- commits`: subjects of the commits that a branch adds are `area: imperative`, at most 72 characters.
import { spawnSync } from 'node:child_process';

const git = (...args) => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
};
const base =
  process.env.COMMITS_BASE ??
  git('rev-parse', '--abbrev-ref', '@{upstream}') ??
  git('rev-parse', 'origin/main');
const subjects =
  base === null ? [] : (git('log', '--no-merges', '--format=%s', `${base}..HEAD`) ?? '').split('\n');
const wrong = subjects.filter(
  (subject) => subject !== '' && (subject.length > 72 || !/^[\w./, -]+: \w/.test(subject)),
);
if (wrong.length > 0) {
  console.error(
    `Subjects that are not "area: imperative" of at most 72 characters:\n  ${wrong.join('\n  ')}`,
  );
  process.exitCode = 1;
}
