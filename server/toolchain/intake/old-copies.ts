import { formOf } from '../languages/language.ts';
import type { SourceText } from '../languages/source-form.ts';

/** Usual names of folders with old files, and suffixes of copies. */
const FOLDER =
  /(?:^|\/)(?:_*old|_*backups?|_*bak|_*archived?|deprecated|legacy|obsolete|unused|attic|trash)(?:[_-]\w*)?\//i;
const COPY =
  /(?:[_.-]+(?:old|bak|backup|copy|kopie|copie|copia|orig|original|prev|previous)[_.-]?\d*_?|_+\d+_)\.\w+$/i;

/** A source that is not read. */
export interface OldCopy {
  path: string;
  /** A name that both sources declare. */
  name: string;
  /** The source that is read instead. */
  instead: string;
}

/** Names that a source declares, each with the group of languages in which it is known. */
function declaredBy({ language, text }: SourceText): { key: string; name: string }[] {
  const { group, declares } = formOf(language);
  return [...declares(text)].map((name) => ({ key: `${group} ${name}`, name }));
}

/**
 * Finds sources whose names mark them as old versions or copies, and whose declarations all exist in unmarked sources of
 * the same language. Other duplicates stay, because it is unclear which one is meant.
 */
export function findOldCopies(sources: readonly SourceText[]): OldCopy[] {
  const byName = (one: SourceText) => FOLDER.test(one.path) || COPY.test(one.path);
  if (!sources.some(byName)) return [];
  const owners = new Map<string, string>();
  for (const one of sources)
    if (!byName(one)) for (const { key } of declaredBy(one)) owners.set(key, one.path);
  return sources.filter(byName).flatMap((one) => {
    const declared = declaredBy(one);
    const [first] = declared;
    const instead = first && owners.get(first.key);
    if (!first || instead === undefined || !declared.every(({ key }) => owners.has(key))) return [];
    return [{ path: one.path, name: first.name, instead }];
  });
}
