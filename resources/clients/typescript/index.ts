/**
 * The client of a bench for Node and browsers.
 *
 *     await using node = await new Bench().program('echo.v');
 *     await node.write(0x10, [1, 2, 3]);
 *     console.log(await node.read(0x10, 3));
 */
export { type Client, createClient } from '../../../server/contract/client/client.ts';
export {
  type Connection,
  EventStream,
  type EventStreamOptions,
} from '../../../server/contract/client/event-stream.ts';
export { JobFailedError } from '../../../server/contract/client/failed-job.ts';
export { ServiceError, UnreachableError } from '../../../server/contract/client/failures.ts';
export { RegisterNameError } from '../../../server/contract/client/register-names.ts';
export type { Answer, CallOptions, ClientOptions, Fetch } from '../../../server/contract/client/request.ts';
export {
  type FollowFrom,
  openStream,
  openViewer,
  type SocketConstructor,
  StreamError,
  type TransactionStream,
  type Viewer,
} from '../../../server/contract/client/stream.ts';
export { Bench, type BenchOptions, type ProgramOptions } from './bench.ts';
export { type AccessOptions, BenchNode, HeldNode, type PollOptions, PollTimeoutError } from './node.ts';
