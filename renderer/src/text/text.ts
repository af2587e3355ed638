/** Every sentence of the GUI. A build exports one module here; a translation is a module with the same names. */
export * as text from './en.ts';
