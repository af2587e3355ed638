import { useState } from 'react';
import type { CaptureRequest, ClockRequest } from '../../../../../server/contract/signals/signals.ts';
import { useBench } from '../../../state/client/context.tsx';

/** The recording and clock actions of a node: one at a time, with the last refusal. */
export interface Recorder {
  busy: boolean;
  error: unknown;
  start(request: CaptureRequest): Promise<void>;
  cancel(captureId: string): Promise<void>;
  clock(request: ClockRequest): Promise<void>;
  /** Starts to record, then runs a paused clock. */
  runUntil(request: CaptureRequest): Promise<void>;
}

/** @param changed called after each action, to load the shown state again */
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
