import { createStore } from 'zustand/vanilla';

/** Something that would be lost, to be asked about once. */
interface Question {
  title: string;
  /** Names what is lost. */
  text: string;
  /** The verb on the button that goes ahead. */
  confirm: string;
  run(): void;
}

export const createDialogStore = () =>
  createStore<{ question: Question | undefined }>(() => ({ question: undefined }));
type QuestionsStore = ReturnType<typeof createDialogStore>;

export function askFirst(store: QuestionsStore, question: Question): void {
  store.setState({ question });
}
