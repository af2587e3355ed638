import type { Language } from '../../contract/designs/uploads.ts';
import { vhdlUnit } from '../languages/dependency-order.ts';
import { declaredIn } from '../languages/verilog/declared-units.ts';

/** Usual names of folders with old files, and suffixes of copies. */
const FOLDER =
  /(?:^|\/)(?:_*old|_*backups?|_*bak|_*archived?|deprecated|legacy|obsolete|unused|attic|trash)(?:[_-]\w*)?\//i;
const COPY =
  /(?:[_.-]+(?:old|bak|backup|copy|kopie|copie|copia|orig|original|prev|previous)[_.-]?\d*_?|_+\d+_)\.\w+$/i;

/** A source of a project. */
interface Source {
  path: string;
  language: Language;
  text: string;
}

/** A source that is not read. */
export interface SetAside {
  path: string;
  /** A name that both sources declare. */
  name: string;
  /** The source that is read instead. */
  instead: string;
}

const isVhdl = ({ language }: Source) => language === 'vhdl';
const declaredBy = (one: Source): string[] => [
  ...(isVhdl(one) ? vhdlUnit(one.path, one.text).declares : declaredIn(one.text)),
];

/**
 * Finds sources whose names mark them as old versions or copies, and whose declarations all exist in unmarked sources of
 * the same language. Other duplicates stay, because it is unclear which one is meant.
 */
export function setAside(sources: readonly Source[]): SetAside[] {
  const byName = (one: Source) => FOLDER.test(one.path) || COPY.test(one.path);
  if (!sources.some(byName)) return [];
  const owners = new Map<boolean, Map<string, string>>([
    [false, new Map()],
    [true, new Map()],
  ]);
  for (const one of sources)
    if (!byName(one)) for (const name of declaredBy(one)) owners.get(isVhdl(one))?.set(name, one.path);
  return sources.filter(byName).flatMap((one) => {
    const own = owners.get(isVhdl(one));
    const names = declaredBy(one);
    const [name] = names;
    const instead = name === undefined ? undefined : own?.get(name);
    if (name === undefined || instead === undefined || !names.every((each) => own?.has(each))) return [];
    return [{ path: one.path, name, instead }];
  });
}
