/** Every sentence of the GUI. A translation is another module with these names, which a build names here. */
export * as text from './en.ts';
