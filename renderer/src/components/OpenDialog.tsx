import { useBench, useBenchStore } from '../state/client/context.tsx';
import { ConfirmDialog } from './Dialog.tsx';

/** The open confirmation, if there is one. */
export function OpenDialog() {
  const client = useBench();
  const question = useBenchStore(
    ({ questions }) => questions,
    (state) => state.question,
  );
  if (!question) return null;
  return (
    <ConfirmDialog
      title={question.title}
      confirm={question.confirm}
      onConfirm={question.run}
      onClose={() => client.questions.setState({ question: undefined })}
    >
      <p>{question.text}</p>
    </ConfirmDialog>
  );
}
