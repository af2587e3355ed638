import { en } from './en.ts';

/** Every sentence of the GUI. A translation is another object of this shape. */
type Text = typeof en;

const CATALOGUES: Record<string, Text> = { en };

/** The catalogue for the languages that the browser asks for, English when there is none. */
export function chooseText(languages: readonly string[]): Text {
  for (const language of languages) {
    const catalogue = CATALOGUES[language.toLowerCase()] ?? CATALOGUES[language.slice(0, 2).toLowerCase()];
    if (catalogue) return catalogue;
  }
  return en;
}

export const text: Text = chooseText(typeof navigator === 'undefined' ? [] : navigator.languages);
