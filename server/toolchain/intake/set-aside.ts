import type { Language } from '../../contract/designs/uploads.ts';
import { vhdlUnit } from '../languages/dependency-order.ts';
import { declaredIn } from '../languages/verilog/declared-units.ts';

/** What people call the folder of what they keep and use no more, and what they or their programs put behind the name of a copy. */
const FOLDER =
  /(?:^|\/)(?:_*old|_*backups?|_*bak|_*archived?|deprecated|legacy|obsolete|unused|attic|trash)(?:[_-]\w*)?\//i;
const COPY =
  /(?:[_.-]+(?:old|bak|backup|copy|kopie|copie|copia|orig|original|prev|previous)[_.-]?\d*_?|_+\d+_)\.\w+$/i;

interface Source {
  path: string;
  language: Language;
  text: string;
}

/** A source that is not to be read. */
export interface SetAside {
  path: string;
  /** A name that both declare. */
  name: string;
  /** What is read in its place. */
  instead: string;
}

const isVhdl = ({ language }: Source) => language === 'vhdl';
const declaredBy = (one: Source): string[] => [
  ...(isVhdl(one) ? vhdlUnit(one.path, one.text).declares : declaredIn(one.text)),
];

/**
 * Sources that are older versions or copies by their names, and declare nothing that is not declared by others in the same
 * language whose names do not say that. Others with the same module stay, for nobody can tell which of them is meant.
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
