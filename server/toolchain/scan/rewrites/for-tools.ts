import type { Language } from '../language.ts';
import { withoutArrayValues } from './array-values.ts';
import { withoutAutomatic } from './block-variables.ts';
import { withoutChecks } from './checks.ts';
import { withoutEndLabels } from './end-labels.ts';
import { withoutForeach } from './foreach.ts';
import { withBitsOfMembers } from './function-members.ts';
import { withCaseAttributes } from './hot-comments.ts';
import { withoutImports } from './imports.ts';
import { withoutInside } from './inside.ts';
import { withInstanceRanges } from './instance-arrays.ts';
import { withInterfaceMembers } from './interface-members.ts';
import { withoutLoopJumps } from './loop-jumps.ts';
import { withNetsForInterfaces } from './net-types.ts';
import { withOwnDeclarations } from './package-chains.ts';
import { withPackageEnums } from './package-enums.ts';
import { withPackedStructures } from './packed-structures.ts';
import { withParameterWords } from './parameter-words.ts';
import { withoutReturns } from './returns.ts';
import { withoutStructureValues } from './structure-values.ts';
import { withSizesOfTypes } from './type-sizes.ts';
import { withSignsOfTypes } from './typed-casts.ts';
import { withFailingFiles } from './vhdl-file-calls.ts';
import { withoutFileParts } from './vhdl-file-parts.ts';
import { inOneLibrary } from './vhdl-libraries.ts';

/**
 * The sources of a design in one family of languages, in which what their tools do not read is written as they do. Lines stay
 * what they are.
 * @param notes gets what was changed
 */
export function writtenForTools(texts: readonly string[], language: Language, notes: string[]): string[] {
  switch (language) {
    case 'vhdl':
      return withoutFileParts(inOneLibrary(texts, notes), notes).map(withFailingFiles);
    case 'amaranth':
      return [...texts];
    default:
      // Imports may stand in the head of a module, before its parameters.
      return withBitsOfMembers(
        withoutStructureValues(
          ofAllSources(texts.map(withCaseAttributes).map(withPackageEnums))
            .map(withParameterWords)
            .map(withoutChecks)
            .map(withoutEndLabels)
            .map(withoutAutomatic)
            .map(withoutForeach)
            .map(withInstanceRanges)
            .map(withoutArrayValues)
            .map(withPackedStructures)
            .map(withoutInside)
            .map(withoutReturns)
            .map(withoutLoopJumps),
        ),
      );
  }
}

/** What one source says of another one is looked at in all of them. */
const ofAllSources = (texts: readonly string[]): string[] =>
  [
    withoutImports,
    withOwnDeclarations,
    withSizesOfTypes,
    withSignsOfTypes,
    withInterfaceMembers,
    withNetsForInterfaces,
  ].reduce<string[]>((written, pass) => pass(written), [...texts]);
