import { useState } from 'react';
import type { BoardCheck } from '../../../../server/contract/boards/board-checks.ts';
import type { BoardEntry } from '../../../../server/contract/boards/boards.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../components/Button.tsx';
import { saveFile } from '../../components/clipboard.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState, InlineError, Loading } from '../../components/Empty.tsx';
import { Progress } from '../../components/Progress.tsx';
import { showRefusal } from '../../state/actions/actions.ts';
import type { BenchClient } from '../../state/client/bench-client.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';
import { CheckSteps } from './CheckSteps.tsx';
import './check.css';

const t = text.check;

/** Poll interval of a running check, ms: no event announces its steps. */
const LOOK_MS = 400;

/** The last check of a slot; null without one. */
const checkOf = async (
  client: BenchClient,
  fpga_id: number,
  signal: AbortSignal,
): Promise<BoardCheck | null> => (await client.service.getBoardCheck({ fpga_id }, { signal })) ?? null;

async function saveReport(client: BenchClient, { fpga_id, board, started_at }: BoardCheck): Promise<void> {
  try {
    const report = await client.service.getBoardCheckReport({ fpga_id });
    const name = t.fileName(board.definition ?? board.kind, started_at.slice(0, 10));
    await saveFile(name, report, 'text/markdown');
  } catch (error) {
    showRefusal(client, error);
  }
}

/** The progress of a check, or its result. */
function CheckState({ check }: { check: BoardCheck }) {
  const done = check.steps.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
  if (check.state !== 'running')
    return (
      <p className={`check-end check-end-${check.state}`} role="status">
        {t.ended[check.state]}
      </p>
    );
  return (
    <div className="check-progress">
      <Progress label={t.progress(done, check.steps.length)} fraction={done / check.steps.length} />
      <p className="muted" role="status">
        {check.cancelling ? t.cancelling : t.progress(done, check.steps.length)}
      </p>
    </div>
  );
}

/** Checks the board in a slot and shows the steps live. Closing the dialog does not stop the check. */
export function CheckDialog({
  node,
  board,
  onClose,
}: {
  node: NodeView;
  board: BoardEntry | undefined;
  onClose(): void;
}) {
  const client = useBench();
  const { fpga_id } = node;
  const [running, setRunning] = useState(false);
  const {
    data: last,
    error,
    put,
  } = useQuery(
    ['check', fpga_id],
    async (_service, signal) => {
      const seen = await checkOf(client, fpga_id, signal);
      setRunning(seen?.state === 'running');
      return seen;
    },
    running ? { every: LOOK_MS } : {},
  );
  // Ignore the check of a board that was in the slot before.
  const check = last?.board.id === node.board.id ? last : null;
  const free = node.state === 'idle' || (node.state === 'error' && node.session === null);
  const ask = async (request: () => Promise<BoardCheck>) => {
    try {
      const answer = await request();
      put(answer);
      setRunning(answer.state === 'running');
    } catch (refusal) {
      showRefusal(client, refusal);
    }
  };
  return (
    <Dialog
      title={t.title(fpga_id)}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.close}</Button>
          {check && (
            <Button icon="download" onClick={() => void saveReport(client, check)}>
              {t.save}
            </Button>
          )}
          {check?.state === 'running' ? (
            <Button
              kind="danger"
              busy={check.cancelling}
              disabled={check.cancelling}
              onClick={() => void ask(() => client.service.cancelBoardCheck({ fpga_id }))}
            >
              {t.cancel}
            </Button>
          ) : (
            <Button
              kind="primary"
              icon="play"
              disabled={!free}
              title={free ? undefined : t.busy}
              onClick={() => void ask(() => client.service.startBoardCheck({ fpga_id }))}
            >
              {check ? t.again : t.start}
            </Button>
          )}
        </>
      }
    >
      <div className="board-check">
        <p>
          <strong>{node.board.name}</strong> <span className="muted mono">{node.board.id}</span>
        </p>
        <p className="muted">
          {t.about} {board?.mode === 'flash' && t.flash}
        </p>
        {error !== undefined && <InlineError error={error} />}
        {check && <CheckState check={check} />}
        {check ? (
          <CheckSteps steps={check.steps} />
        ) : last === undefined && error === undefined ? (
          <Loading />
        ) : (
          <EmptyState icon="boards" title={t.none} />
        )}
      </div>
    </Dialog>
  );
}
