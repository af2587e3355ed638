/** A place in a design's source. */
export interface Place {
  file: string | undefined;
  line: number;
}
