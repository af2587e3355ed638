/**
 * What has to happen at once in Redis, as Lua. KEYS[1] is always BASE. Time is Redis's own, so that the clocks of benches
 * and workers may differ. Scripts that a lost connection may send twice do the same again.
 *
 * order:<build>     hash: the one try at a build that is under way, with who holds it
 * waiting           sorted set of builds by when they were asked for
 * owners            hash: owner → builds that wait
 * rounds:<queue>    hash: class → the round that is being built; class:owner → the last round that the owner has
 * wants:<ticket>    set of benches that wait for the result
 * log:<ticket>      stream of what is told of the build
 * build:<build>     hash: SHA-256 and bytes of the result; artifact:<sha256> has the bytes
 * builds            sorted set of kept results by last use; builds:bytes is their size
 * workers           sorted set of workers by last sign of life; worker:<id> expires without one
 * rate:<minute>     hash of counts
 */
const COMMON = `
local base = KEYS[1]
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function tell(ticket, limit, ...)
  for _, entry in ipairs({...}) do
    redis.call('XADD', base .. 'log:' .. ticket, 'MAXLEN', '~', limit, '*', 'e', entry)
  end
  local id = string.sub(ticket, 1, 64)
  for _, bench in ipairs(redis.call('SMEMBERS', base .. 'wants:' .. ticket)) do
    redis.call('PUBLISH', base .. 'news:' .. bench, id)
  end
end
local function unwait(id, owner)
  if redis.call('ZREM', base .. 'waiting', id) == 1 then
    if redis.call('HINCRBY', base .. 'owners', owner, -1) <= 0 then redis.call('HDEL', base .. 'owners', owner) end
  end
end
local function wait(id, owner, asked)
  if redis.call('ZADD', base .. 'waiting', 'NX', asked, id) == 1 then
    redis.call('HINCRBY', base .. 'owners', owner, 1)
  end
end
local function drop(result)
  local key = base .. 'build:' .. result
  local kept = redis.call('HMGET', key, 'sha256', 'bytes')
  if kept[1] then
    redis.call('DEL', base .. 'artifact:' .. kept[1])
    redis.call('DECRBY', base .. 'builds:bytes', kept[2])
  end
  redis.call('DEL', key)
  redis.call('ZREM', base .. 'builds', result)
end
`;

/** Priorities of BullMQ end at 2^21: one half is for each class. */
const ROUNDS = 2 ** 20;

/**
 * A bench asks for a build: joins the try that is under way, or begins one.
 * ARGV: build, ticket, queue, owner, bench, class (0 interactive, 1 batch), file, most waiting, most of one owner
 * → new | joined, ticket, priority | full, waiting | owner_full, waiting | stopping
 */
const ADMIT = `${COMMON}
local id, ticket, queue, owner, bench = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local class, file, most, mostOwn = ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local order = base .. 'order:' .. id
local known = redis.call('HMGET', order, 'ticket', 'priority', 'stop')
if known[1] then
  if known[3] then return {'stopping'} end
  redis.call('SADD', base .. 'wants:' .. known[1], bench)
  return {'joined', known[1], known[2]}
end
local all = redis.call('ZCARD', base .. 'waiting')
if all >= most then return {'full', all} end
local own = tonumber(redis.call('HGET', base .. 'owners', owner) or 0)
if own >= mostOwn then return {'owner_full', own} end
local rounds = base .. 'rounds:' .. queue
local line = string.gsub(base, 'farm:$', queue .. ':')
if redis.call('ZCARD', line .. 'prioritized') == 0 then redis.call('DEL', rounds) end
local seen = redis.call('HMGET', rounds, class, class .. ':' .. owner)
local round = math.max(1, tonumber(seen[1] or 1), tonumber(seen[2] or 0) + 1)
round = math.min(round, ${ROUNDS - 1})
redis.call('HSET', rounds, class .. ':' .. owner, round)
local priority = class * ${ROUNDS} + round
local asked = now()
redis.call('HSET', order, 'ticket', ticket, 'queue', queue, 'owner', owner, 'bench', bench, 'class', class,
  'round', round, 'priority', priority, 'file', file, 'asked', asked, 'state', 'waiting', 'starts', 0, 'deaths', 0)
redis.call('SADD', base .. 'wants:' .. ticket, bench)
wait(id, owner, asked)
return {'new', ticket, priority}
`;

/**
 * A worker begins a try, and those who wait are told.
 * ARGV: ticket, token, worker, name of the worker, most entries → gone | poisoned, deaths, name of the last | begun, starts, name of the last
 */
const BEGIN = `${COMMON}
local ticket, token, worker, name = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local id = string.sub(ticket, 1, 64)
local order = base .. 'order:' .. id
local o = redis.call('HMGET', order, 'ticket', 'token', 'state', 'worker', 'name', 'deaths', 'owner', 'queue', 'class', 'round', 'starts', 'stop')
if o[1] ~= ticket then return {'gone'} end
if o[12] then
  unwait(id, o[7])
  redis.call('DEL', order, base .. 'wants:' .. ticket)
  return {'gone'}
end
local last = o[5] or ''
if o[3] == 'building' and o[2] == token then return {'begun', tonumber(o[11]), last} end
local deaths = tonumber(o[6])
if o[3] == 'building' and redis.call('EXISTS', base .. 'worker:' .. o[4]) == 0 then
  deaths = redis.call('HINCRBY', order, 'deaths', 1)
end
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

/** A worker tells something of its try. ARGV: ticket, token, number, entry, most entries → 1, 0 when it is not its any more */
const TELL = `${COMMON}
local ticket, token, number = ARGV[1], ARGV[2], tonumber(ARGV[3])
local order = base .. 'order:' .. string.sub(ticket, 1, 64)
local o = redis.call('HMGET', order, 'ticket', 'token', 'said')
if o[1] ~= ticket or o[2] ~= token then return 0 end
if tonumber(o[3]) >= number then return 1 end
redis.call('HSET', order, 'said', number)
tell(ticket, ARGV[5], ARGV[4])
return 1
`;

/**
 * Signs of life of a worker for the tries that it holds; takes back locks that ran out while Redis was away.
 * ARGV: milliseconds, then queue, ticket, token of each → for each: 1, 0 when it is not its any more, 2 when nobody wants it
 */
const RENEW = `${COMMON}
local answers = {}
for i = 2, #ARGV, 3 do
  local queue, ticket, token = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local o = redis.call('HMGET', base .. 'order:' .. string.sub(ticket, 1, 64), 'ticket', 'token', 'stop')
  local answer = 0
  if o[1] == ticket and o[2] == token then
    answer = o[3] and 2 or 1
    local line = string.gsub(base, 'farm:$', queue .. ':')
    redis.call('SET', line .. ticket .. ':lock', token, 'PX', ARGV[1])
    redis.call('SREM', line .. 'stalled', ticket)
  end
  answers[#answers + 1] = answer
end
return answers
`;

/**
 * A worker ends its try. With a result it is kept, and the least recently used ones make room.
 * ARGV: ticket, token, entry, most entries, SHA-256 or '', result, most bytes, outcome, milliseconds of the build, further
 * entries to be told before
 * → 1, or 0 when the try is not its any more: then nothing has happened
 */
const FINISH = `${COMMON}
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
redis.call('PEXPIRE', base .. 'log:' .. ticket, 120000)
unwait(id, o[3])
redis.call('DEL', order, base .. 'wants:' .. ticket)
redis.call('SET', base .. 'done:' .. ticket, token, 'PX', 120000)
local rate = base .. 'rate:' .. math.floor(now() / 60000)
redis.call('HINCRBY', rate, ARGV[8], 1)
redis.call('HINCRBY', rate, 'milliseconds', ARGV[9])
redis.call('PEXPIRE', rate, 7200000)
return 1
`;

/** A worker that ends gives its try back. ARGV: ticket, token → 1, or 0 when it is not its any more */
const GIVE_BACK = `${COMMON}
local ticket, token = ARGV[1], ARGV[2]
local id = string.sub(ticket, 1, 64)
local order = base .. 'order:' .. id
local o = redis.call('HMGET', order, 'ticket', 'token', 'owner', 'asked')
if o[1] ~= ticket or o[2] ~= token then return 0 end
redis.call('HSET', order, 'state', 'waiting', 'token', '')
wait(id, o[3], o[4])
return 1
`;

/** A bench does not want a build any more. ARGV: ticket, bench → gone | wanted | removed | stopping */
const LEAVE = `${COMMON}
local ticket, bench = ARGV[1], ARGV[2]
local id = string.sub(ticket, 1, 64)
local order = base .. 'order:' .. id
local o = redis.call('HMGET', order, 'ticket', 'state', 'owner')
if o[1] ~= ticket then return 'gone' end
redis.call('SREM', base .. 'wants:' .. ticket, bench)
if redis.call('SCARD', base .. 'wants:' .. ticket) > 0 then return 'wanted' end
if o[2] == 'waiting' then
  unwait(id, o[3])
  redis.call('DEL', order, base .. 'wants:' .. ticket, base .. 'log:' .. ticket)
  return 'removed'
end
redis.call('HSET', order, 'stop', '1')
redis.call('PUBLISH', base .. 'stop', ticket)
return 'stopping'
`;

/** How a try stands. ARGV: ticket → waiting | building | gone, priority, whether it has a job or a living worker */
const STANDING = `${COMMON}
local o = redis.call('HMGET', base .. 'order:' .. string.sub(ARGV[1], 1, 64), 'ticket', 'state', 'priority', 'queue', 'worker')
if o[1] ~= ARGV[1] then return {'gone', '0', 0} end
local sound = redis.call('EXISTS', string.gsub(base, 'farm:$', o[4] .. ':') .. ARGV[1])
if sound == 0 and o[2] == 'building' then sound = redis.call('EXISTS', base .. 'worker:' .. o[5]) end
return {o[2], o[3], sound}
`;

/** What can be built. → milliseconds of Redis, then queue, capability, milliseconds when a worker last said so, of each */
const OFFERS = `${COMMON}
local answer = {tostring(now())}
for _, queue in ipairs(redis.call('ZREVRANGE', base .. 'queues', 0, -1)) do
  answer[#answer + 1] = queue
  answer[#answer + 1] = redis.call('HGET', base .. 'capabilities', queue) or ''
  answer[#answer + 1] = redis.call('ZSCORE', base .. 'queues', queue)
end
return answer
`;

/** Finds a kept result. ARGV: build → its SHA-256, or false */
const FIND = `${COMMON}
local sha256 = redis.call('HGET', base .. 'build:' .. ARGV[1], 'sha256')
if sha256 then redis.call('ZADD', base .. 'builds', 'XX', now(), ARGV[1]) end
return sha256
`;

/** Removes a result that is damaged. ARGV: build, SHA-256 that was found of it */
const FORGET = `${COMMON}
if redis.call('HGET', base .. 'build:' .. ARGV[1], 'sha256') == ARGV[2] then drop(ARGV[1]) end
return 1
`;

/** A sign of life of a worker, with what it can build. ARGV: id, text, milliseconds, then queue and text of each capability */
const ANNOUNCE = `${COMMON}
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

/** A worker ends. ARGV: id */
const FAREWELL = `${COMMON}
redis.call('DEL', base .. 'worker:' .. ARGV[1])
redis.call('ZREM', base .. 'workers', ARGV[1])
return 1
`;

/**
 * Places in line. ARGV: tickets → for each: place from 1 on, 0 when it does not wait, then file and owner of the one before
 */
const PLACES = `${COMMON}
local answers = {}
for _, ticket in ipairs(ARGV) do
  local order = base .. 'order:' .. string.sub(ticket, 1, 64)
  local o = redis.call('HMGET', order, 'queue', 'ticket')
  local answer = {0, '', ''}
  if o[1] and o[2] == ticket then
    local line = string.gsub(base, 'farm:$', o[1] .. ':')
    local rank = redis.call('ZRANK', line .. 'prioritized', ticket)
    if rank then
      answer[1] = rank + 1
      local before = rank > 0 and redis.call('ZRANGE', line .. 'prioritized', rank - 1, rank - 1)[1]
      if before then
        local b = redis.call('HMGET', base .. 'order:' .. string.sub(before, 1, 64), 'file', 'owner')
        answer[2], answer[3] = b[1] or '', b[2] or ''
      end
    end
  end
  answers[#answers + 1] = answer
end
return answers
`;

/** The whole farm. ARGV: most of the line → workers, capabilities, line, building, owners, counts, kept results */
const VIEW = `${COMMON}
local t = now()
local workers, line, building = {}, {}, {}
for _, id in ipairs(redis.call('ZRANGE', base .. 'workers', 0, -1)) do
  local text = redis.call('GET', base .. 'worker:' .. id)
  if text then workers[#workers + 1] = text end
end
local function entry(id, place)
  local o = redis.call('HMGET', base .. 'order:' .. id, 'file', 'owner', 'asked', 'queue', 'class', 'name', 'began', 'bench')
  if not o[1] then return nil end
  return {id, tostring(place), o[1], o[2], tostring(t - o[3]), o[4], o[5], o[6] or '', o[7] and tostring(t - o[7]) or '', o[8]}
end
local most = tonumber(ARGV[1])
for _, queue in ipairs(redis.call('ZRANGE', base .. 'queues', 0, -1)) do
  local keys = string.gsub(base, 'farm:$', queue .. ':')
  -- To the place -1 would be the whole line.
  local front = most > 0 and redis.call('ZRANGE', keys .. 'prioritized', 0, most - 1) or {}
  for rank, ticket in ipairs(front) do
    line[#line + 1] = entry(string.sub(ticket, 1, 64), rank)
  end
  for _, ticket in ipairs(redis.call('LRANGE', keys .. 'active', 0, 999)) do
    building[#building + 1] = entry(string.sub(ticket, 1, 64), 0)
  end
end
local minute = math.floor(t / 60000)
local rates = {}
for i = 1, 10 do
  local r = redis.call('HMGET', base .. 'rate:' .. (minute - i), 'built', 'failed', 'stopped', 'milliseconds')
  for j = 1, 4 do rates[j] = (rates[j] or 0) + tonumber(r[j] or 0) end
end
return {workers, redis.call('HGETALL', base .. 'capabilities'), line, building, redis.call('HGETALL', base .. 'owners'),
  {redis.call('ZCARD', base .. 'waiting'), redis.call('ZCARD', base .. 'builds'), tonumber(redis.call('GET', base .. 'builds:bytes') or 0)}, rates}
`;

/**
 * Clears away what a bench left that died between asking for a build and putting it into its queue: builds that wait and have
 * no job. ARGV: how old they have to be, ms → how many
 */
const SWEEP = `${COMMON}
local cleared = 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. 'waiting', 0, now() - tonumber(ARGV[1]), 'LIMIT', 0, 500)) do
  local order = base .. 'order:' .. id
  local o = redis.call('HMGET', order, 'queue', 'ticket', 'owner')
  local keys = o[1] and string.gsub(base, 'farm:$', o[1] .. ':')
  if not o[1] then
    redis.call('ZREM', base .. 'waiting', id)
  elseif redis.call('EXISTS', keys .. o[2]) == 0 then
    unwait(id, o[3])
    redis.call('DEL', order, base .. 'wants:' .. o[2], base .. 'log:' .. o[2])
    cleared = cleared + 1
  end
end
return cleared
`;

export const SCRIPTS = {
  admit: ADMIT,
  begin: BEGIN,
  tell: TELL,
  renew: RENEW,
  finish: FINISH,
  giveBack: GIVE_BACK,
  leave: LEAVE,
  standing: STANDING,
  offers: OFFERS,
  find: FIND,
  forget: FORGET,
  announce: ANNOUNCE,
  farewell: FAREWELL,
  places: PLACES,
  view: VIEW,
  sweep: SWEEP,
} as const;
export type ScriptName = keyof typeof SCRIPTS;
