import { COMMON } from './common.ts';

/** How long a try's end stays in Redis for benches that do not know it yet, for example during a restart, ms. */
const ENDED_MS = 3_600_000;

/**
 * A worker begins a try, and the benches that wait are notified.
 * ARGV: ticket, token, worker, name of the worker, limit of entries
 * → gone | poisoned, deaths, name of the last worker | begun, starts, name of the last worker
 *   | held, running builds of its owner, '': the owner's limit is reached
 */
export const BEGIN = `${COMMON}
local ticket, token, worker, name = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local id = string.sub(ticket, 1, 64)
local order = base .. 'order:' .. id
local o = redis.call('HMGET', order, 'ticket', 'token', 'state', 'worker', 'name', 'deaths', 'owner', 'queue', 'class', 'round', 'starts', 'stop', 'most', 'held', 'place')
if o[1] ~= ticket then return {'gone'} end
if o[12] then
  unwait(id, o[7])
  ran(id, o[7])
  redis.call('DEL', order, base .. 'wants:' .. ticket, base .. 'log:' .. ticket)
  return {'gone'}
end
local last = o[5] or ''
if o[3] == 'building' and o[2] == token then return {'begun', tonumber(o[11]), last} end
local deaths = tonumber(o[6])
if o[3] == 'building' and redis.call('EXISTS', base .. 'worker:' .. o[4]) == 0 then
  deaths = redis.call('HINCRBY', order, 'deaths', 1)
end
local running = base .. 'running:' .. o[7]
local most = tonumber(o[13] or 0)
if most > 0 and redis.call('SISMEMBER', running, id) == 0 then
  local place = o[15] or '0'
  local room, count = roomFor(o[7], place, o[8], most)
  if not room then
    redis.call('ZADD', base .. 'held:' .. o[7], place, id)
    redis.call('HSET', order, 'held', now())
    redis.call('HDEL', order, 'released')
    if not o[14] then tell(ticket, ARGV[5], cjson.encode({kind = 'held', running = count})) end
    return {'held', count, ''}
  end
end
redis.call('SADD', running, id)
redis.call('HDEL', order, 'held', 'released')
unwait(id, o[7])
local starts = redis.call('HINCRBY', order, 'starts', 1)
redis.call('HSET', order, 'state', 'building', 'token', token, 'worker', worker, 'name', name, 'began', now(), 'said', 0)
local begun = cjson.encode({kind = 'begun', worker = name, start = starts, after = last})
tell(ticket, ARGV[5], begun)
if deaths >= 2 then return {'poisoned', deaths, last} end
local rounds = base .. 'rounds:' .. o[8]
if tonumber(redis.call('HGET', rounds, o[9]) or 0) < tonumber(o[10]) then redis.call('HSET', rounds, o[9], o[10]) end
return {'begun', starts, last}
`;

/**
 * A worker publishes a message of its try. ARGV: ticket, token, number, entry, limit of entries, limit of their bytes
 * → 1, or 0 when another worker has the try
 */
export const PUBLISH = `${COMMON}
local ticket, token, number = ARGV[1], ARGV[2], tonumber(ARGV[3])
local order = base .. 'order:' .. string.sub(ticket, 1, 64)
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
`;

/**
 * Renews a worker's tries. It also restores locks that ran out while Redis was away.
 * ARGV: milliseconds, then queue, ticket, token of each
 * → for each: 1, 0 when another worker has the try, 2 when no bench wants it
 */
export const RENEW = `${COMMON}
local answers = {}
for i = 2, #ARGV, 3 do
  local queue, ticket, token = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local o = redis.call('HMGET', base .. 'order:' .. string.sub(ticket, 1, 64), 'ticket', 'token', 'stop')
  local answer = 0
  if o[1] == ticket and o[2] == token then
    answer = o[3] and 2 or 1
    redis.call('SET', line(queue) .. ticket .. ':lock', token, 'PX', ARGV[1])
    redis.call('SREM', line(queue) .. 'stalled', ticket)
  end
  answers[#answers + 1] = answer
end
return answers
`;

/**
 * A worker ends its try. A result is stored, and the least recently used results make room for it.
 * ARGV: ticket, token, entry, limit of entries, SHA-256 or '', result, limit of bytes, outcome, milliseconds of the
 * build, entries that go before the last one
 * → 1, or 0 without effect when another worker has the try
 */
export const FINISH = `${COMMON}
local ticket, token = ARGV[1], ARGV[2]
local id = string.sub(ticket, 1, 64)
local order = base .. 'order:' .. id
local o = redis.call('HMGET', order, 'ticket', 'token', 'owner')
if o[1] ~= ticket or o[2] ~= token then
  return redis.call('GET', base .. 'done:' .. ticket) == token and 1 or 0
end
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
unwait(id, o[3])
redis.call('DEL', order)
ran(id, o[3])
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
`;

/** A held try has left its queue. It is released where there is room by now. ARGV: ticket */
export const PARKED = `${COMMON}
local owner = redis.call('HGET', base .. 'order:' .. string.sub(ARGV[1], 1, 64), 'owner')
if owner then release(owner) end
return 1
`;

/** A worker that ends gives its try back. ARGV: ticket, token → 1, or 0 when another worker has the try */
export const GIVE_BACK = `${COMMON}
local ticket, token = ARGV[1], ARGV[2]
local id = string.sub(ticket, 1, 64)
local order = base .. 'order:' .. id
local o = redis.call('HMGET', order, 'ticket', 'token', 'owner', 'asked', 'place')
if o[1] ~= ticket or o[2] ~= token then return 0 end
redis.call('HSET', order, 'state', 'waiting', 'token', '')
wait(id, o[3], o[4], o[5])
ran(id, o[3])
return 1
`;

/** Sign of life of a worker, with its capabilities. ARGV: id, card, milliseconds, then queue and capability of each */
export const ANNOUNCE = `${COMMON}
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
`;

/**
 * Gives a worker without a configured name the first free one: the host name, else the host name with a number.
 * ARGV: id, host name, milliseconds until it expires → the name
 */
export const NAME = `${COMMON}
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
`;

/** A worker ends. ARGV: id, name */
export const WORKER_LEAVES = `${COMMON}
local key = base .. 'name:' .. ARGV[2]
if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
redis.call('DEL', base .. 'worker:' .. ARGV[1])
redis.call('ZREM', base .. 'workers', ARGV[1])
return 1
`;
