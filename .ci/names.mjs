// `npm run check -- names`: words of docs/glossary.md that exported names and names of files do without.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A word that stands for a story, as a part of a name such as `sentMap` or `KEPT_CODE`. */
const FORBIDDEN =
  'told|tell|teller|telling|said|says|saying|heard|kept|held|made|asked|asking|sent|given|underway|unless|beside|away|elsewhere|happening|happenings|parcel|obstacle|trouble|doubt|most|longest|largest|widest|shortest';
const FILES = /^(?:later|acts|blame|trial|teller|turns|looks|passes)\.tsx?$/;

const parts = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase());
const isForbidden = (name) => parts(name).some((word) => new RegExp(`^(?:${FORBIDDEN})$`).test(word));

const files = execFileSync('git', ['ls-files', 'server', 'main', 'preload', 'renderer/src'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file));
const found = [];
for (const file of files) {
  const name = path.basename(file);
  if (FILES.test(name) || isForbidden(name.replace(/\.tsx?$/, ''))) found.push(file);
  const exported = /^export (?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
  for (const [, symbol] of readFileSync(file, 'utf8').matchAll(exported))
    if (isForbidden(symbol)) found.push(`${file}: ${symbol}`);
}
if (found.length > 0) {
  console.error(`Names that docs/glossary.md does without:\n${found.map((one) => `  ${one}`).join('\n')}`);
  process.exitCode = 1;
}
