import { COMMON } from './common.ts';

/** How long a try's end stays in Redis for benches that do not know it yet, for example during a restart, ms. */
const ENDED_MS = 3_600_000;

/** Scripts of workers, by name. */
export const WORKER_SCRIPTS = {
  /**
   * A worker takes the next build that may run, and the benches that wait for it are notified.
   * ARGV: worker, its name, token, lease in ms, limit of entries, queues in the order in which they are read
   * → begun | poisoned (its workers died), ticket, starts, name of the last worker, order; or null for no build
   */
  take: `${COMMON}
local worker, name, token, lease, entries = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
-- The first build of a queue whose owner may run it. The others are held.
local function nextOf(queue)
  local line = base .. 'line:' .. queue
  while true do
    local id = redis.call('ZRANGE', line, 0, 0)[1]
    if not id then return nil end
    local o = try(id)
    local most, count = tonumber(o.most), redis.call('SCARD', base .. 'running:' .. o.owner)
    if most == 0 or count < most then return id, o end
    redis.call('ZREM', line, id)
    redis.call('ZADD', base .. 'held:' .. o.owner, score(o.class, 0, o.number), id)
    if redis.call('HSETNX', base .. 'order:' .. id, 'held', 1) == 1 then
      tell(o.ticket, entries, cjson.encode({kind = 'held', running = count}))
    end
  end
end
for i = 6, #ARGV do
  local id, o = nextOf(ARGV[i])
  if id then
    local order = base .. 'order:' .. id
    exit(id, o)
    local deaths = tonumber(o.deaths)
    if o.token ~= '' and redis.call('EXISTS', base .. 'worker:' .. o.worker) == 0 then
      deaths = redis.call('HINCRBY', order, 'deaths', 1)
    end
    local starts = redis.call('HINCRBY', order, 'starts', 1)
    redis.call('HSET', order, 'token', token, 'worker', worker, 'name', name, 'lease', lease, 'began', now(), 'said', 0)
    hold(id, o.owner, lease)
    tell(o.ticket, entries, cjson.encode({kind = 'begun', worker = name, start = starts, after = o.name or ''}))
    local rounds = base .. 'rounds:' .. o.queue
    if tonumber(redis.call('HGET', rounds, o.class) or 0) < tonumber(o.round) then redis.call('HSET', rounds, o.class, o.round) end
    local kind = deaths >= 2 and 'poisoned' or 'begun'
    return {kind, o.ticket, starts, o.name or '', redis.call('HGET', order, 'order')}
  end
end
return nil
`,

  /**
   * A worker publishes a message of its try. ARGV: ticket, token, number, entry, limit of entries, limit of their bytes
   * → 1, or 0 when another worker has the try
   */
  tell: `${COMMON}
local ticket, token, number = ARGV[1], ARGV[2], tonumber(ARGV[3])
local order = base .. 'order:' .. buildOf(ticket)
local o = redis.call('HMGET', order, 'ticket', 'token', 'said')
if o[1] ~= ticket or o[2] ~= token then return 0 end
if tonumber(o[3]) >= number then return 1 end
redis.call('HSET', order, 'said', number)
tell(ticket, ARGV[5], ARGV[4])
local bytes = redis.call('HINCRBY', order, 'told', #ARGV[4])
if bytes > tonumber(ARGV[6]) then
  local log = base .. 'log:' .. ticket
  redis.call('XTRIM', log, 'MAXLEN', math.floor(redis.call('XLEN', log) / 2))
  redis.call('HSET', order, 'told', math.floor(bytes / 2))
end
return 1
`,

  /**
   * Renews a worker's tries. It takes those back that no other worker has taken.
   * ARGV: lease in ms, then ticket and token of each
   * → for each: 1, 0 when another worker has the try, 2 when no bench wants it
   */
  renew: `${COMMON}
local answers = {}
for i = 2, #ARGV, 2 do
  local o, id = own(ARGV[i], ARGV[i + 1]), buildOf(ARGV[i])
  if o then
    exit(id, o)
    hold(id, o.owner, tonumber(ARGV[1]))
  end
  answers[#answers + 1] = o and (o.stop and 2 or 1) or 0
end
return answers
`,

  /**
   * A worker ends its try. A result is stored, and the least recently used results make room for it.
   * ARGV: ticket, token, entry, limit of entries, SHA-256 or '', result, limit of bytes, outcome, milliseconds of the
   * build, entries that go before the last one
   * → 1, or 0 without effect when another worker has the try
   */
  finish: `${COMMON}
local ticket, token = ARGV[1], ARGV[2]
local id, o = buildOf(ticket), own(ticket, token)
if not o then return redis.call('GET', base .. 'done:' .. ticket) == token and 1 or 0 end
if ARGV[5] ~= '' then
  drop(id)
  local bytes = #ARGV[6]
  redis.call('SET', base .. 'artifact:' .. ARGV[5], ARGV[6])
  redis.call('HSET', base .. 'build:' .. id, 'sha256', ARGV[5], 'bytes', bytes)
  redis.call('ZADD', base .. 'builds', now(), id)
  local total = redis.call('INCRBY', base .. 'builds:bytes', bytes)
  while total > tonumber(ARGV[7]) do
    local oldest = redis.call('ZRANGE', base .. 'builds', 0, 0)[1]
    if not oldest or oldest == id then break end
    drop(oldest)
    total = tonumber(redis.call('GET', base .. 'builds:bytes'))
  end
end
local entries = {unpack(ARGV, 10)}
entries[#entries + 1] = ARGV[3]
tell(ticket, ARGV[4], unpack(entries))
exit(id, o)
redis.call('DEL', base .. 'order:' .. id)
ran(id, o.owner)
if redis.call('SCARD', base .. 'wants:' .. ticket) > 0 then
  redis.call('PEXPIRE', base .. 'log:' .. ticket, ${ENDED_MS})
  redis.call('PEXPIRE', base .. 'wants:' .. ticket, ${ENDED_MS})
  redis.call('SET', base .. 'ended:' .. id, ticket, 'PX', ${ENDED_MS})
else
  redis.call('DEL', base .. 'log:' .. ticket)
end
redis.call('SET', base .. 'done:' .. ticket, token, 'PX', 120000)
local rate = base .. 'rate:' .. math.floor(now() / 60000)
redis.call('HINCRBY', rate, ARGV[8], 1)
redis.call('HINCRBY', rate, 'milliseconds', ARGV[9])
redis.call('PEXPIRE', rate, 7200000)
return 1
`,

  /** A worker that ends gives its try back. ARGV: ticket, token → 1, or 0 when another worker has the try */
  giveBack: `${COMMON}
local id, o = buildOf(ARGV[1]), own(ARGV[1], ARGV[2])
if not o then return 0 end
redis.call('HSET', base .. 'order:' .. id, 'token', '')
giveUp(id, o)
return 1
`,

  /** Sign of life of a worker, with its capabilities. ARGV: id, card, milliseconds, then queue and capability of each */
  announce: `${COMMON}
local t = now()
redis.call('SET', base .. 'worker:' .. ARGV[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', base .. 'workers', t, ARGV[1])
redis.call('ZREMRANGEBYSCORE', base .. 'workers', 0, t - 3600000)
for i = 4, #ARGV, 2 do
  redis.call('HSET', base .. 'capabilities', ARGV[i], ARGV[i + 1])
  redis.call('ZADD', base .. 'queues', t, ARGV[i])
end
for _, queue in ipairs(redis.call('ZRANGEBYSCORE', base .. 'queues', 0, t - 86400000)) do
  redis.call('HDEL', base .. 'capabilities', queue)
  redis.call('ZREM', base .. 'queues', queue)
end
return t
`,

  /**
   * Gives a worker without a configured name the first free one: the host name, else the host name with a number.
   * ARGV: id, host name, milliseconds until it expires → the name
   */
  name: `${COMMON}
local wanted = ARGV[2]
for n = 1, 1000 do
  local name = n == 1 and wanted or wanted .. '-' .. n
  local key = base .. 'name:' .. name
  local holder = redis.call('GET', key)
  if not holder or holder == ARGV[1] then
    redis.call('SET', key, ARGV[1], 'PX', ARGV[3])
    return name
  end
end
return wanted
`,

  /** A worker ends. ARGV: id, name */
  farewell: `${COMMON}
local key = base .. 'name:' .. ARGV[2]
if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
redis.call('DEL', base .. 'worker:' .. ARGV[1])
redis.call('ZREM', base .. 'workers', ARGV[1])
return 1
`,
};
