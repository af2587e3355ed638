import { ServiceError, UnreachableError } from '../../../../server/contract/client/failures.ts';
import { text } from '../../text/text.ts';

/** The sentences of any error: the service's own if it answered. */
export function explain(error: unknown): { message: string; remedy: string | undefined } {
  if (error instanceof ServiceError) {
    const fields = error.fields.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`.trim());
    return { message: error.message, remedy: fields.length > 0 ? `${fields.join('; ')}.` : undefined };
  }
  if (error instanceof UnreachableError)
    return { message: text.error.unreachable, remedy: text.error.unreachableRemedy };
  // Its class loads with the first stream.
  if (error instanceof Error && error.name === 'StreamError')
    return { message: error.message, remedy: undefined };
  return { message: text.error.unexpected, remedy: error instanceof Error ? error.message : undefined };
}

/** Whether the request reached no service. */
export const isUnreachable = (error: unknown): boolean => error instanceof UnreachableError;

/** Whether the service wants a key, or another caller. */
export const isRefusedCaller = (error: unknown): boolean =>
  error instanceof ServiceError && (error.status === 401 || error.status === 403);
