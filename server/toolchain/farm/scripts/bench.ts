import { COMMON, ROUNDS } from './common.ts';

/** Scripts of benches, by name. */
export const BENCH_SCRIPTS = {
  /**
   * A bench requests a build. It joins the running try, finds a result that was built meanwhile, or begins a try.
   * ARGV: build, ticket, queue, owner, bench, class (0 interactive, 1 batch), file, limit of waiting builds, limit of
   * one owner's waiting builds, limit of one owner's running builds, the order
   * → new | joined, ticket | kept, SHA-256 | full, waiting | owner_full, waiting | stopping
   */
  admit: `${COMMON}
local id, ticket, queue, owner, bench = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local class, file, most, maxOwn = ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local known = try(id)
if known then
  if known.stop then return {'stopping'} end
  redis.call('SADD', base .. 'wants:' .. known.ticket, bench)
  return {'joined', known.ticket}
end
local kept = redis.call('HGET', base .. 'build:' .. id, 'sha256')
if kept then return {'kept', kept} end
local all = waiting()
if all >= most then return {'full', all} end
local own = tonumber(redis.call('HGET', base .. 'owners', owner) or 0)
if own >= maxOwn then return {'owner_full', own} end
local rounds = base .. 'rounds:' .. queue
local isEmpty = redis.call('ZCARD', base .. 'line:' .. queue) == 0
local seen = isEmpty and {} or redis.call('HMGET', rounds, class, class .. ':' .. owner)
local round = math.max(1, tonumber(seen[1] or 1), tonumber(seen[2] or 0) + 1)
round = math.min(round, ${ROUNDS - 1})
-- The first command that writes: without memory Redis refuses it, and with it the script.
redis.call('HSET', base .. 'order:' .. id, 'ticket', ticket, 'token', '', 'queue', queue, 'owner', owner, 'bench', bench,
  'class', class, 'round', round, 'file', file, 'asked', now(), 'starts', 0, 'deaths', 0, 'most', ARGV[10], 'order', ARGV[11])
redis.call('HSET', base .. 'order:' .. id, 'number', redis.call('INCR', base .. 'asked'))
if isEmpty then redis.call('DEL', rounds) end
redis.call('HSET', rounds, class .. ':' .. owner, round)
redis.call('SADD', base .. 'wants:' .. ticket, bench)
enter(id, try(id))
return {'new', ticket}
`,

  /**
   * A restarted bench looks for a try that it requested before. ARGV: build, bench
   * → joined, ticket | ended, ticket (its log is still there) | lost
   */
  rejoin: `${COMMON}
local id, bench = ARGV[1], ARGV[2]
local known = try(id)
if known and not known.stop then
  redis.call('SADD', base .. 'wants:' .. known.ticket, bench)
  return {'joined', known.ticket}
end
local ticket = redis.call('GET', base .. 'ended:' .. id)
if ticket and redis.call('SISMEMBER', base .. 'wants:' .. ticket, bench) == 1 then return {'ended', ticket} end
return {'lost'}
`,

  /** A bench knows how tries ended: their logs may go. ARGV: bench, tickets */
  noted: `${COMMON}
for i = 2, #ARGV do
  local ticket = ARGV[i]
  local ended = base .. 'ended:' .. buildOf(ticket)
  redis.call('SREM', base .. 'wants:' .. ticket, ARGV[1])
  if redis.call('SCARD', base .. 'wants:' .. ticket) == 0 then
    redis.call('DEL', base .. 'log:' .. ticket)
    if redis.call('GET', ended) == ticket then redis.call('DEL', ended) end
  end
end
return 1
`,

  /** A bench leaves a build. ARGV: ticket, bench → gone | wanted | removed | stopping */
  leave: `${COMMON}
local ticket, bench = ARGV[1], ARGV[2]
local id = buildOf(ticket)
local o = try(id)
if not o or o.ticket ~= ticket then return 'gone' end
redis.call('SREM', base .. 'wants:' .. ticket, bench)
if redis.call('SCARD', base .. 'wants:' .. ticket) > 0 then return 'wanted' end
if not redis.call('ZSCORE', base .. 'leases', id) then
  discard(id, o)
  return 'removed'
end
redis.call('HSET', base .. 'order:' .. id, 'stop', '1')
redis.call('PUBLISH', base .. 'stop', ticket)
return 'stopping'
`,

  /** State of a try. ARGV: ticket → waiting | building | gone, name of the silent worker that had begun it or '' */
  standing: `${COMMON}
local id = buildOf(ARGV[1])
local o = try(id)
if not o or o.ticket ~= ARGV[1] then return {'gone', ''} end
if redis.call('ZSCORE', base .. 'leases', id) then return {'building', ''} end
return {'waiting', o.token ~= '' and o.name or ''}
`,

  /** Finds a stored result. ARGV: build → its SHA-256, or false */
  find: `${COMMON}
local sha256 = redis.call('HGET', base .. 'build:' .. ARGV[1], 'sha256')
if sha256 then redis.call('ZADD', base .. 'builds', 'XX', now(), ARGV[1]) end
return sha256
`,

  /** Removes a damaged result. ARGV: build, SHA-256 of the damaged result */
  forget: `${COMMON}
if redis.call('HGET', base .. 'build:' .. ARGV[1], 'sha256') == ARGV[2] then drop(ARGV[1]) end
return 1
`,

  /**
   * Places in line. ARGV: ms, tickets. A worker must have announced the queue within `ms`.
   * → for each ticket: place from 1 (0 when it does not wait), file and owner of the build before it, and what holds it:
   * owner_limit, no_worker or ''
   */
  places: `${COMMON}
local function fileAndOwner(id)
  local b = id and redis.call('HMGET', base .. 'order:' .. id, 'file', 'owner') or {}
  return b[1] or '', b[2] or ''
end
local answers = {}
for i = 2, #ARGV do
  local id = buildOf(ARGV[i])
  local o = try(id)
  local answer = {0, '', '', ''}
  if o and o.ticket == ARGV[i] then
    local line = base .. 'line:' .. o.queue
    local heldAt = redis.call('ZRANK', base .. 'held:' .. o.owner, id)
    local rank = redis.call('ZRANK', line, id)
    if heldAt then
      local file, owner = fileAndOwner(redis.call('SRANDMEMBER', base .. 'running:' .. o.owner))
      answer = {heldAt + 1, file, owner, 'owner_limit'}
    elseif rank then
      local file, owner = fileAndOwner(rank > 0 and redis.call('ZRANGE', line, rank - 1, rank - 1)[1])
      local seen = redis.call('ZSCORE', base .. 'queues', o.queue)
      answer = {rank + 1, file, owner, seen and now() - seen < tonumber(ARGV[1]) and '' or 'no_worker'}
    end
  end
  answers[#answers + 1] = answer
end
return answers
`,
};
