import { useState } from 'react';
import { sentences } from '../../../../server/contract/sentences.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorState, Loading } from '../../components/Empty.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useNodes } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { isRefusedCaller } from '../../state/page/explain.ts';
import { text } from '../../text/text.ts';
import './boards.css';
import { CheckDialog } from './CheckDialog.tsx';
import { DoctorPanel } from './DoctorPanel.tsx';
import { Proven } from './Proven.tsx';
import { SlotTable } from './SlotTable.tsx';
import { Unassigned } from './Unassigned.tsx';

const t = text.boards;

/** The Boards screen: slots, boards without a slot, checks and the doctor. */
export default function BoardsScreen() {
  const nodes = useNodes();
  // A board that comes or goes changes a slot or the list of others.
  const boards = nodes?.map(({ board }) => `${board.id} ${board.present}`).join();
  // No event announces boards without a slot: poll them while this screen is open.
  const {
    data: list,
    error,
    reload,
  } = useQuery(['boards', boards], (service, signal) => service.listBoards({}, { signal }), {
    keep: true,
    every: 1000,
  });
  const refused = isRefusedCaller(error);
  const settled = nodes !== undefined && (list !== undefined || error !== undefined);
  const [checked, setChecked] = useState<number>();
  const checkedNode = nodes?.find(({ fpga_id }) => fpga_id === checked);
  return (
    <section className="screen" aria-label={t.title}>
      <header className="screen-head">
        <h1>{t.title}</h1>
        <Button className="push" icon="repeat" onClick={reload}>
          {t.refresh}
        </Button>
      </header>
      <div className="screen-body boards">
        {list?.problems.map(({ code, message, remedy }) => (
          <p key={code} className="notice">
            <Icon name="warning" />
            <span>{sentences(message, remedy)}</span>
          </p>
        ))}
        {refused && (
          <p className="notice">
            <Icon name="info" />
            {t.operatorOnly}
          </p>
        )}
        {error !== undefined && !refused && !list ? (
          <ErrorState error={error} onRetry={reload} />
        ) : nodes === undefined || (list === undefined && !refused) ? (
          <Loading />
        ) : (
          <SlotTable
            nodes={nodes}
            boards={list?.boards ?? []}
            onChange={reload}
            onCheck={setChecked}
            editable={!refused}
          />
        )}
        {list && nodes && <Unassigned nodes={nodes} boards={list.boards} onChange={reload} />}
        {/* Below a list that is not known yet, they would move. */}
        {settled && !refused && <DoctorPanel />}
        {settled && <Proven />}
      </div>
      {checkedNode && (
        <CheckDialog
          key={checkedNode.fpga_id}
          node={checkedNode}
          board={list?.boards.find(({ slot }) => slot === checkedNode.fpga_id)}
          onClose={() => setChecked(undefined)}
        />
      )}
    </section>
  );
}
