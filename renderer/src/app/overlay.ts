/** Dialogs over the screens. */
export type Overlay = 'palette' | 'shortcuts' | 'who' | 'notices';
