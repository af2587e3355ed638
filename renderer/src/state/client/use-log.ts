import { useEffect, useState, useSyncExternalStore } from 'react';
import { OpenLog } from '../jobs/open-log.ts';
import { useBench } from './context.tsx';

const nothing = () => () => {};

/** The log of a job, live while the component is mounted; undefined until the first render is over. */
export function useLog(fpgaId: number, jobId: string | undefined): OpenLog | undefined {
  const client = useBench();
  const [log, setLog] = useState<OpenLog | undefined>();
  useEffect(() => {
    if (jobId === undefined) {
      setLog(undefined);
      return;
    }
    setLog(client.logs.acquire(jobId, () => new OpenLog(client.service, fpgaId, jobId)));
    return () => client.logs.release(jobId);
  }, [client, fpgaId, jobId]);
  useSyncExternalStore(log?.subscribe ?? nothing, () => log?.revision ?? 0);
  return log?.jobId === jobId ? log : undefined;
}
