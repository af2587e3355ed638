import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../clock.ts';
import { checkOf, parseAs } from '../../contract/check.ts';
import { ViewerRequest } from '../../contract/stream/stream.ts';
import { BINARY_PROTOCOL, JSON_PROTOCOL, VIEWER_PROTOCOL } from '../../contract/stream/stream-protocol.ts';
import { apiError } from '../../errors/api.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { endMessage, JsonConversation, type NodeAccess, takeFrame } from '../../stream/conversation.ts';
import { HEADER_BYTES } from '../../stream/frames.ts';
import type { NodeStream } from '../../stream/streams.ts';
import type { ViewerSink, ViewFrom } from '../../stream/viewers.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, requireHolder, requireStillAdmitted } from '../edge/caller.ts';
import { asksToView, type Upgrade, upgradeOf } from '../edge/upgrades.ts';
import { mapOnNode, numericRun } from '../nodes/named-runs.ts';
import { type Handler, serve } from '../serving/serve.ts';

/** Unread bytes of answers above which no new request of this caller is processed. */
const MAX_UNREAD_BYTES = 1 << 20;
/** Poll changes are sent in any case: a caller with so many unread bytes is cut off. */
const MAX_UNREAD_POLL_BYTES = 4 << 20;
/** JSON text of a message: bytes for each word, and for the rest. */
const JSON_WORD = 12;
const JSON_REST = 64 << 10;
/** Time for the closing handshake after the reason was sent, ms. */
const GOODBYE_MS = 50;
/** Maximum bytes of text in a close frame (RFC 6455, section 5.5). */
const MAX_REASON_LENGTH = 123;

/** Close codes: RFC 6455, section 7.4.1; our own are the error's status plus 4000. */
const GOING_AWAY = 1001;
const UNSUPPORTED_DATA = 1003;
const closeCode = ({ code, status }: BenchError): number =>
  code === 'service_stopping' ? GOING_AWAY : 4000 + status;

/** A text cut to so many bytes of UTF-8. */
function bounded(text: string, bytes: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > bytes) cut = cut.slice(0, -1);
  return cut;
}

/** The audit entry of a stream: its existence and its volume, never a word of data. */
export function auditStream(
  { audit }: ApiContext,
  {
    caller,
    from,
    fpgaId,
    requestId,
  }: { caller: Caller; from: string | null; fpgaId: number; requestId: string | null },
  details: Record<string, string | number>,
): void {
  audit.add({
    action: 'stream',
    owner: caller.owner,
    from,
    operator: caller.operator,
    fpga_id: fpgaId,
    job_id: null,
    done: true,
    code: null,
    request_id: requestId,
    details,
  });
}

/** Whether the headers are a valid WebSocket handshake (RFC 6455, section 4.2.1). */
const isHandshake = ({ headers }: FastifyRequest): boolean =>
  /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
  headers['sec-websocket-version'] === '13';

/** A viewer may send its starting point within this time, ms; otherwise it gets the newest entries. */
const VIEWER_SAYS_MS = 100;
const MAX_VIEWER_MESSAGE_LENGTH = 1024;

const isViewerRequest = checkOf(ViewerRequest);

/** Serves one stream over its WebSocket. */
function converse(
  socket: WebSocket,
  stream: NodeStream,
  node: NodeAccess,
  raw: { writableLength: number },
): void {
  const unread = () => Math.max(socket.bufferedAmount, raw.writableLength);
  const pace = () => {
    if (socket.bufferedAmount > MAX_UNREAD_POLL_BYTES) socket.terminate();
    stream.hold(unread() > MAX_UNREAD_BYTES);
    if (stream.full && !socket.isPaused) socket.pause();
  };
  const json =
    socket.protocol === JSON_PROTOCOL
      ? new JsonConversation(
          stream,
          node,
          (text) => {
            socket.send(text, { binary: false });
            pace();
          },
          unread,
        )
      : null;
  const send = (bytes: Buffer) => {
    socket.send(bytes);
    pace();
  };
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) takeFrame(stream, data, send);
    else if (json) json.take(data.toString('utf8'));
    else socket.close(UNSUPPORTED_DATA, 'Text messages need the subprotocol wishbench.v1+json.');
    if (stream.full) socket.pause();
  });
}

/**
 * Serves a viewer over its WebSocket. Its first message may give a starting point; further messages are errors. Returns
 * the function that ends it.
 */
function watch(
  socket: WebSocket,
  view: (sink: ViewerSink, from: ViewFrom) => () => void,
  { clock, unread, end }: { clock: Clock } & Pick<ViewerSink, 'unread' | 'end'>,
): () => void {
  const sink: ViewerSink = { unread, end, send: (text) => socket.send(text, { binary: false }) };
  let stop: (() => void) | null = null;
  let hasSpoken = false;
  const begin = (from: ViewFrom) => {
    cancel();
    stop?.();
    stop = view(sink, from);
  };
  const cancel = clock.after(VIEWER_SAYS_MS, () => begin({}));
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    const text =
      isBinary || hasSpoken || data.length > MAX_VIEWER_MESSAGE_LENGTH ? '' : data.toString('utf8');
    const from = parseAs(text, isViewerRequest);
    hasSpoken = true;
    if (from) begin(from);
    else socket.close(UNSUPPORTED_DATA, 'A viewer may send {"after": SEQ} first, and nothing else.');
  });
  return () => {
    cancel();
    stop?.();
  };
}

/** The input of the stream's handler. */
type Asked = Parameters<Handler<'openStream'>>[0];

/** GET /fpga/{id}/stream, and the record of transactions. */
export function streamRoutes(app: FastifyInstance, context: ApiContext): void {
  const { streams, clock, underway, settings } = context;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: JSON_REST + HEADER_BYTES + JSON_WORD * settings.current.limits.words_per_run,
    // A viewer's request was accepted as such.
    handleProtocols: (offered) =>
      [VIEWER_PROTOCOL, JSON_PROTOCOL, BINARY_PROTOCOL].find((one) => offered.has(one)) ?? false,
  });

  /** The connection of a request that asks for a WebSocket. @throws upgrade_required, bad_request. */
  const requireUpgrade = (request: FastifyRequest, reply: FastifyReply): Upgrade => {
    const upgrade = upgradeOf(request.raw);
    if (!upgrade) {
      reply.header('upgrade', 'websocket').header('connection', 'upgrade');
      throw apiError('upgrade_required');
    }
    if (!isHandshake(request))
      throw apiError('bad_request', { message: 'The WebSocket handshake is not valid.' });
    return upgrade;
  };

  /** Takes the connection over; when it closes, `done` and the function that `opened` returned are called. */
  const take = (
    { request, reply, upgrade }: { request: FastifyRequest; reply: FastifyReply; upgrade: Upgrade },
    done: () => void,
    opened: (socket: WebSocket) => () => void,
  ): void => {
    reply.hijack();
    upgrade.response.detachSocket(upgrade.socket);
    upgrade.socket.once('close', done);
    upgrade.socket.setNoDelay(true);
    upgrade.socket.setTimeout(0);
    server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
      socket.on('error', () => {}); // it closes, which is what counts
      const closed = opened(socket);
      socket.on('close', () => {
        done();
        closed();
      });
    });
  };

  /** Sends the reason, closes, and does not wait long. */
  const closeWith = (socket: WebSocket, reason: BenchError): void => {
    if (socket.protocol !== '' && socket.protocol !== BINARY_PROTOCOL) socket.send(endMessage(reason));
    socket.resume();
    socket.close(closeCode(reason), bounded(reason.message, MAX_REASON_LENGTH));
    clock.after(GOODBYE_MS, () => socket.terminate());
  };

  const open = ({ params: { fpga_id: fpgaId }, caller, request, reply }: Asked): FastifyReply => {
    let socket: WebSocket | null = null;
    const stream = streams.open({
      fpgaId,
      owner: caller.owner,
      via: 'stream',
      onRoom: () => socket?.resume(),
      onEnd: (reason) => {
        if (socket) closeWith(socket, reason);
      },
    });
    try {
      const upgrade = requireUpgrade(request, reply);
      const done = underway.begin('transactions', {
        caller,
        check: () => {
          requireStillAdmitted(context, caller, 'key');
          requireHolder(context, caller, fpgaId);
        },
        end: (reason) => stream.end(reason),
      });
      const about = { caller, from: request.socket.remoteAddress ?? null, fpgaId, requestId: request.id };
      upgrade.socket.on('drain', () => stream.hold(false));
      take({ request, reply, upgrade }, done, (opened) => {
        socket = opened;
        auditStream(context, about, { what: 'opened', via: 'stream' });
        const node: NodeAccess = {
          pins: {
            read: () => context.pins.read(fpgaId),
            set: (wanted) => context.pins.set(fpgaId, wanted),
          },
          names: { map: () => mapOnNode(context, fpgaId), numeric: numericRun },
        };
        converse(opened, stream, node, upgrade.socket);
        return () => {
          stream.end();
          auditStream(context, about, { what: 'closed', via: 'stream', ...stream.counts });
        };
      });
      return reply;
    } catch (error) {
      stream.end();
      throw error;
    }
  };

  /** For viewers: nothing that they send reaches the node. */
  const view = ({ params: { fpga_id: fpgaId }, caller, request, reply }: Asked): FastifyReply => {
    const upgrade = requireUpgrade(request, reply);
    let socket: WebSocket | null = null;
    const done = underway.begin('view', {
      caller,
      check: () => requireStillAdmitted(context, caller, 'key'),
      end: (reason) => {
        if (socket) closeWith(socket, reason);
      },
    });
    const about = { caller, from: request.socket.remoteAddress ?? null, fpgaId, requestId: request.id };
    take({ request, reply, upgrade }, done, (opened) => {
      socket = opened;
      auditStream(context, about, { what: 'opened', via: 'viewer' });
      const stop = watch(opened, (sink, from) => streams.view(fpgaId, sink, from), {
        clock,
        unread: () => Math.max(opened.bufferedAmount, upgrade.socket.writableLength),
        end: (reason) => closeWith(opened, reason),
      });
      return () => {
        stop();
        auditStream(context, about, { what: 'closed', via: 'viewer' });
      };
    });
    return reply;
  };
  serve(
    app,
    'openStream',
    (asked) => {
      asked.reply.code(200);
      return asksToView(asked.request) ? view(asked) : open(asked);
    },
    { endless: true },
  );
  serve(app, 'listTransactions', ({ params, query }) =>
    streams.transactions(params.fpga_id, query.limit ?? 100, query.after),
  );
}
