/** A source file in this page. */
export interface DesignFile {
  /** Base name; its extension chooses the language. */
  name: string;
  contents: Uint8Array;
}
