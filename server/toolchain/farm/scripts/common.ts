/** Rounds of one class; each of the two classes has as many. A score of a line has 53 bits: see `score` below. */
export const ROUNDS = 2 ** 20;
/** Minimum number of log entries of a build that Redis stores. The job's log has its own limit. */
export const ENTRIES = 20_000;

/**
 * What must happen atomically in Redis, as Lua. KEYS[1] is always BASE. The scripts use the time of Redis, because
 * the clocks of benches and workers may differ. After a lost connection a script may run twice with the same effect.
 *
 * order:<build>     hash: the one running try at a build, its request, and its worker
 * line:<queue>      sorted set of waiting builds by class, round and request; returned builds come first
 * owners            hash: owner → number of waiting builds
 * running:<owner>   set of the owner's running builds
 * held:<owner>      sorted set of waiting builds that were taken from their line at the owner's limit. They return when
 *                   one of the owner's builds ends
 * leases            sorted set of running builds by the time until which their workers hold them
 * rounds:<queue>    hash: class → the round that is being built; class:owner → the owner's last round
 * wants:<ticket>    set of benches that wait for the result
 * log:<ticket>      stream of a try's messages
 * ended:<build>     ticket of an ended try, until every bench that waits for it has noted the end
 * build:<build>     hash: SHA-256 and size of the result; artifact:<sha256> has the bytes
 * builds            sorted set of stored results by last use; builds:bytes is their size
 * workers           sorted set of workers by last sign of life; worker:<id> expires without one
 * name:<name>       worker that has a default name; expires like the worker
 * asked             number of the last request
 * rate:<minute>     hash of counts
 */
export const COMMON = `
local base = KEYS[1]
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function buildOf(ticket)
  return string.sub(ticket, 1, 64)
end
local function tell(ticket, limit, ...)
  for _, entry in ipairs({...}) do
    redis.call('XADD', base .. 'log:' .. ticket, 'MAXLEN', '~', limit, '*', 'e', entry)
  end
  for _, bench in ipairs(redis.call('SMEMBERS', base .. 'wants:' .. ticket)) do
    redis.call('PUBLISH', base .. 'news:' .. bench, buildOf(ticket))
  end
end
-- Place of a build in its line. Returned builds have negative scores in the same order.
local function score(class, round, number, returned)
  local whole = (class * ${ROUNDS} + round) * 2 ^ 32 + number
  return string.format('%.0f', returned and whole - 2 ^ 53 or whole)
end
-- Puts a build into its line, from nowhere or from the held ones.
local function enter(id, o, returned)
  if redis.call('ZREM', base .. 'held:' .. o.owner, id) == 0 then redis.call('HINCRBY', base .. 'owners', o.owner, 1) end
  redis.call('ZADD', base .. 'line:' .. o.queue, score(o.class, o.round, o.number, returned), id)
  redis.call('PUBLISH', base .. 'work', o.queue)
end
-- Takes a build out of its line, or from the held ones.
local function exit(id, o)
  local line = redis.call('ZREM', base .. 'line:' .. o.queue, id)
  if line + redis.call('ZREM', base .. 'held:' .. o.owner, id) == 0 then return end
  if redis.call('HINCRBY', base .. 'owners', o.owner, -1) <= 0 then redis.call('HDEL', base .. 'owners', o.owner) end
end
local FIELDS = {'ticket', 'token', 'queue', 'owner', 'class', 'round', 'number', 'stop', 'worker', 'name', 'deaths', 'most', 'lease', 'silent'}
-- The try at a build; nil where there is none.
local function try(id)
  local values = redis.call('HMGET', base .. 'order:' .. id, unpack(FIELDS))
  if not values[1] then return nil end
  local o = {}
  for i, field in ipairs(FIELDS) do o[field] = values[i] end
  return o
end
-- The try, where it is this worker's.
local function own(ticket, token)
  local o = try(buildOf(ticket))
  return o and o.ticket == ticket and o.token == token and o or nil
end
-- Returns the owner's held builds to their lines. They get the current round: they do not wait for builds that came later.
local function release(owner)
  for _, id in ipairs(redis.call('ZRANGE', base .. 'held:' .. owner, 0, -1)) do
    local o = try(id)
    local rounds = base .. 'rounds:' .. o.queue
    local seen = redis.call('HMGET', rounds, o.class, o.class .. ':' .. owner)
    o.round = math.max(1, tonumber(seen[1] or 1))
    redis.call('HSET', rounds, o.class .. ':' .. owner, math.max(o.round, tonumber(seen[2] or 0)))
    redis.call('HSET', base .. 'order:' .. id, 'round', o.round)
    enter(id, o)
  end
end
local function waiting()
  local all = 0
  for _, count in ipairs(redis.call('HVALS', base .. 'owners')) do all = all + count end
  return all
end
-- A worker has the build until its lease ends.
local function hold(id, owner, lease)
  redis.call('SADD', base .. 'running:' .. owner, id)
  redis.call('ZADD', base .. 'leases', now() + lease, id)
  redis.call('HDEL', base .. 'order:' .. id, 'silent')
end
-- The build no longer runs.
local function ran(id, owner)
  redis.call('ZREM', base .. 'leases', id)
  redis.call('SREM', base .. 'running:' .. owner, id)
  release(owner)
end
-- Removes a try that no bench wants.
local function discard(id, o)
  exit(id, o)
  redis.call('DEL', base .. 'order:' .. id, base .. 'wants:' .. o.ticket, base .. 'log:' .. o.ticket)
  ran(id, o.owner)
end
-- A worker no longer has the build: another may take it, before all others.
local function giveUp(id, o)
  if o.stop then return discard(id, o) end
  exit(id, o)
  enter(id, o, true)
  ran(id, o.owner)
end
-- Returns builds of silent workers to their lines: at the end of the lease, and one lease after the first look at that.
-- When Redis was away, every worker is silent at the first look. A worker may have its build back until another takes it.
local function reclaim()
  local t = now()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', base .. 'leases', 0, t)) do
    local o = try(id)
    if not o.silent then
      redis.call('HSET', base .. 'order:' .. id, 'silent', t)
    elseif t - o.silent >= tonumber(o.lease) then
      giveUp(id, o)
    end
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
