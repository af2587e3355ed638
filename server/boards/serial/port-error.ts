import { BenchError } from '../../errors/bench-error.ts';
import { boardsError } from '../../errors/boards.ts';

/**
 * Names what `serialport` rejects with when a port is opened. Its errors carry a text only: strerror(3) on
 * Linux and macOS (`Error: Permission denied, cannot open /dev/ttyUSB1`, `Error Resource temporarily
 * unavailable Cannot lock port`), fixed words on Windows (`Opening COM7: Access denied`), where a port that
 * another program holds is an access that is denied.
 */
export function portOpenError(error: unknown, platform: NodeJS.Platform = process.platform): BenchError {
  if (error instanceof BenchError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const cause = { cause: error };
  if (/cannot lock|resource busy|temporarily unavailable|EBUSY|EAGAIN/i.test(text))
    return boardsError('port_busy', cause);
  if (/access denied/i.test(text) && platform === 'win32') return boardsError('port_busy', cause);
  if (/permission denied|access denied|EACCES|EPERM/i.test(text))
    return boardsError('port_permission_denied', cause);
  if (/no such file|file not found|no such device|ENOENT|ENXIO|ENODEV|Input\/output error/i.test(text))
    return boardsError('port_missing', cause);
  return boardsError('port_failed', cause);
}
