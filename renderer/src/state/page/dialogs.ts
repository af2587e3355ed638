import { createStore } from 'zustand/vanilla';

/** A confirmation before the person loses something. */
export interface Question {
  title: string;
  /** Names the loss. */
  text: string;
  /** Verb of the button that goes ahead. */
  confirm: string;
  run(): void;
}

export const createDialogStore = () =>
  createStore<{ question: Question | undefined }>(() => ({ question: undefined }));
type QuestionsStore = ReturnType<typeof createDialogStore>;

export function askFirst(store: QuestionsStore, question: Question): void {
  store.setState({ question });
}
