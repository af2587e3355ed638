/** One thing that the doctor looked at: how it is, and what to do when it is not well. */
export interface Finding {
  id: string;
  title: string;
  /** `warning` costs speed or comfort, `problem` keeps something from working, `skipped` could not be looked at. */
  status: 'ok' | 'warning' | 'problem' | 'skipped';
  message: string;
  /** May have several lines, e.g. commands to type. */
  remedy?: string;
}
