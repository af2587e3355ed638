import { useState } from 'react';
import type { CaptureRequest, ClockRequest } from '../../../../../server/contract/signals/signals.ts';
import { useBench } from '../../../state/client/context.tsx';

/** What a person does to the recording and the clock of a node. One thing at a time; what was refused is kept. */
export interface Recorder {
  busy: boolean;
  error: unknown;
  start(request: CaptureRequest): Promise<void>;
  cancel(captureId: string): Promise<void>;
  clock(request: ClockRequest): Promise<void>;
  /** Begins to record, then lets a clock go on that stands. */
  runUntil(request: CaptureRequest): Promise<void>;
}

/** @param changed something was done: what is shown is to be asked for again */
export function useRecorder(fpgaId: number, changed: () => void): Recorder {
  const { service } = useBench();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const attempt = async (act: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
      changed();
    }
  };
  return {
    busy,
    error,
    start: (body) => attempt(() => service.startCapture({ fpga_id: fpgaId, body })),
    cancel: (capture_id) => attempt(() => service.cancelCapture({ fpga_id: fpgaId, capture_id })),
    clock: (body) => attempt(() => service.setBoardClock({ fpga_id: fpgaId, body })),
    runUntil: (body) =>
      attempt(async () => {
        await service.startCapture({ fpga_id: fpgaId, body });
        await service.setBoardClock({ fpga_id: fpgaId, body: { action: 'run' } });
      }),
  };
}
