import { COMMON, ROUNDS } from './common.ts';

/**
 * A bench requests a build. It joins the running try, finds a result that was built meanwhile, or begins a try.
 * ARGV: build, ticket, queue, owner, bench, class (0 interactive, 1 batch), file, limit of waiting builds, limit of
 * one owner's waiting builds, limit of one owner's running builds
 * → new | joined, ticket, priority | kept, SHA-256 | full, waiting | owner_full, waiting | stopping
 */
export const ADMIT = `${COMMON}
local id, ticket, queue, owner, bench = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local class, file, most, maxOwn = ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local order = base .. 'order:' .. id
local known = redis.call('HMGET', order, 'ticket', 'priority', 'stop')
if known[1] then
  if known[3] then return {'stopping'} end
  redis.call('SADD', base .. 'wants:' .. known[1], bench)
  return {'joined', known[1], known[2]}
end
local kept = redis.call('HGET', base .. 'build:' .. id, 'sha256')
if kept then return {'kept', kept} end
local all = redis.call('ZCARD', base .. 'waiting')
if all >= most then return {'full', all} end
local own = tonumber(redis.call('HGET', base .. 'owners', owner) or 0)
if own >= maxOwn then return {'owner_full', own} end
local rounds = base .. 'rounds:' .. queue
if redis.call('ZCARD', line(queue) .. 'prioritized') == 0 then redis.call('DEL', rounds) end
local seen = redis.call('HMGET', rounds, class, class .. ':' .. owner)
local round = math.max(1, tonumber(seen[1] or 1), tonumber(seen[2] or 0) + 1)
round = math.min(round, ${ROUNDS - 1})
redis.call('HSET', rounds, class .. ':' .. owner, round)
local priority = class * ${ROUNDS} + round
local asked = now()
local place
if tonumber(ARGV[10]) > 0 then
  place = string.format('%.0f', class * 2 ^ 50 + redis.call('INCR', base .. 'asked'))
  redis.call('HSET', order, 'place', place)
end
redis.call('HSET', order, 'ticket', ticket, 'queue', queue, 'owner', owner, 'bench', bench, 'class', class,
  'round', round, 'priority', priority, 'file', file, 'asked', asked, 'state', 'waiting', 'starts', 0, 'deaths', 0, 'most', ARGV[10])
redis.call('SADD', base .. 'wants:' .. ticket, bench)
wait(id, owner, asked, place)
return {'new', ticket, priority}
`;

/**
 * A restarted bench looks for a try that it requested before. ARGV: build, bench
 * → joined, ticket, priority | ended, ticket, 0 (its log is still there) | lost
 */
export const REJOIN = `${COMMON}
local id, bench = ARGV[1], ARGV[2]
local known = redis.call('HMGET', base .. 'order:' .. id, 'ticket', 'priority', 'stop')
if known[1] and not known[3] then
  redis.call('SADD', base .. 'wants:' .. known[1], bench)
  return {'joined', known[1], known[2]}
end
local ticket = redis.call('GET', base .. 'ended:' .. id)
if ticket and redis.call('SISMEMBER', base .. 'wants:' .. ticket, bench) == 1 then return {'ended', ticket, 0} end
return {'lost'}
`;

/** A bench knows how tries ended: their logs may go. ARGV: bench, tickets */
export const NOTED = `${COMMON}
for i = 2, #ARGV do
  local ticket = ARGV[i]
  local ended = base .. 'ended:' .. string.sub(ticket, 1, 64)
  redis.call('SREM', base .. 'wants:' .. ticket, ARGV[1])
  if redis.call('SCARD', base .. 'wants:' .. ticket) == 0 then
    redis.call('DEL', base .. 'log:' .. ticket)
    if redis.call('GET', ended) == ticket then redis.call('DEL', ended) end
  end
end
return 1
`;

/** A bench leaves a build. ARGV: ticket, bench → gone | wanted | removed | stopping */
export const LEAVE = `${COMMON}
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
  release(o[3])
  return 'removed'
end
redis.call('HSET', order, 'stop', '1')
redis.call('PUBLISH', base .. 'stop', ticket)
return 'stopping'
`;

/**
 * State of a try. ARGV: ticket → waiting | building | gone, priority, 1 when it has a job or a living worker, name of
 * the dead worker that had begun it or ''
 */
export const STANDING = `${COMMON}
local id = string.sub(ARGV[1], 1, 64)
local order = base .. 'order:' .. id
local o = redis.call('HMGET', order, 'ticket', 'state', 'priority', 'queue', 'worker', 'held', 'owner', 'name')
if o[1] ~= ARGV[1] then return {'gone', '0', 0, ''} end
if o[6] then
  redis.call('HSET', order, 'held', now())
  release(o[7])
  local r = redis.call('HMGET', order, 'released', 'priority')
  if not r[1] then return {o[2], o[3], 1, ''} end
  o[3] = r[2]
end
local sound = redis.call('EXISTS', line(o[4]) .. ARGV[1])
local lost = orphaned(o[2], o[5])
if o[2] == 'building' and not lost then sound = 1 end
return {o[2], o[3], sound, lost and o[8] or ''}
`;

/** Finds a stored result. ARGV: build → its SHA-256, or false */
export const FIND = `${COMMON}
local sha256 = redis.call('HGET', base .. 'build:' .. ARGV[1], 'sha256')
if sha256 then redis.call('ZADD', base .. 'builds', 'XX', now(), ARGV[1]) end
return sha256
`;

/** Removes a damaged result. ARGV: build, SHA-256 of the damaged result */
export const FORGET = `${COMMON}
if redis.call('HGET', base .. 'build:' .. ARGV[1], 'sha256') == ARGV[2] then drop(ARGV[1]) end
return 1
`;

/**
 * Places in line. ARGV: ms, tickets. A worker must have announced the queue within `ms`.
 * → for each ticket: place from 1 (0 when it does not wait), file and owner of the build before it, and what holds it:
 * owner_limit, no_worker or ''
 */
export const PLACES = `${COMMON}
local answers = {}
for i = 2, #ARGV do
  local ticket = ARGV[i]
  local order = base .. 'order:' .. string.sub(ticket, 1, 64)
  local o = redis.call('HMGET', order, 'queue', 'ticket', 'owner', 'held', 'released', 'state', 'worker')
  local answer = {0, '', '', ''}
  if o[2] == ticket and o[4] and not o[5] then
    local rank = redis.call('ZRANK', base .. 'held:' .. o[3], string.sub(ticket, 1, 64))
    local first = redis.call('SRANDMEMBER', base .. 'running:' .. o[3])
    if rank and first then
      local b = redis.call('HMGET', base .. 'order:' .. first, 'file', 'owner')
      answer = {rank + 1, b[1] or '', b[2] or '', 'owner_limit'}
    end
  end
  if o[1] and o[2] == ticket then
    local keys = line(o[1])
    -- A build that lost its worker or was given back comes first. The list is served from its end.
    local back = redis.call('LLEN', keys .. 'wait')
    local rank = redis.call('ZRANK', keys .. 'prioritized', ticket)
    local at = not rank and redis.call('LPOS', keys .. 'wait', ticket)
    local place, before
    if rank then
      place = back + rank + 1
      before = rank > 0 and redis.call('ZRANGE', keys .. 'prioritized', rank - 1, rank - 1)[1] or redis.call('LINDEX', keys .. 'wait', 0)
    elseif at then
      place = back - at
      before = place > 1 and redis.call('LINDEX', keys .. 'wait', at + 1)
    elseif orphaned(o[6], o[7]) then
      place = 1
    end
    if place then
      answer[1] = place
      local seen = redis.call('ZSCORE', base .. 'queues', o[1])
      if not seen or now() - seen >= tonumber(ARGV[1]) then answer[4] = 'no_worker' end
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
