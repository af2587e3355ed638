/** Where in a design something is. */
export interface Place {
  file: string | undefined;
  line: number;
}
