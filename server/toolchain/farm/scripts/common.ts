/** Rounds of one class. BullMQ's priorities end at 2^21; each of the two classes has one half. */
export const ROUNDS = 2 ** 20;
/** Minimum number of log entries of a build that Redis stores. The job's log has its own limit. */
export const ENTRIES = 20_000;
/** How long a build's place stays reserved after its request or release, until its job is in a queue, ms. */
const CLAIM_MS = 5000;
/** Builds of one owner that one search for a build that may run reads. */
const MAX_BUILDS_READ = 200;

/**
 * What must happen atomically in Redis, as Lua. KEYS[1] is always BASE. The scripts use the time of Redis, because
 * the clocks of benches and workers may differ. After a lost connection a script may run twice with the same effect.
 *
 * order:<build>     hash: the one running try at a build, and its worker
 * waiting           sorted set of builds by the time of their request
 * owners            hash: owner → number of waiting builds
 * own:<owner>       sorted set of an owner's waiting builds by place: interactive ones first, then by request; only
 *                   where the owner has a limit of running builds
 * running:<owner>   set of the owner's running builds
 * held:<owner>      those of own:<owner> that wait for the limit. They have left their queue. On release their bench
 *                   puts them back into it
 * rounds:<queue>    hash: class → the round that is being built; class:owner → the owner's last round
 * wants:<ticket>    set of benches that wait for the result
 * log:<ticket>      stream of a try's messages
 * ended:<build>     ticket of an ended try, until every bench that waits for it has noted the end
 * build:<build>     hash: SHA-256 and size of the result; artifact:<sha256> has the bytes
 * builds            sorted set of stored results by last use; builds:bytes is their size
 * workers           sorted set of workers by last sign of life; worker:<id> expires without one
 * name:<name>       worker that has a default name; expires like the worker
 * rate:<minute>     hash of counts
 */
export const COMMON = `
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
local function line(queue)
  return (string.gsub(base, 'farm:$', queue .. ':'))
end
-- Whether the worker of a running build is dead. Then no worker builds it, wherever its job is.
local function orphaned(state, worker)
  return state == 'building' and redis.call('EXISTS', base .. 'worker:' .. (worker or '')) == 0
end
local function unwait(id, owner)
  redis.call('ZREM', base .. 'own:' .. owner, id)
  redis.call('ZREM', base .. 'held:' .. owner, id)
  if redis.call('ZREM', base .. 'waiting', id) == 1 then
    if redis.call('HINCRBY', base .. 'owners', owner, -1) <= 0 then redis.call('HDEL', base .. 'owners', owner) end
  end
end
local function wait(id, owner, asked, place)
  if place then redis.call('ZADD', base .. 'own:' .. owner, place, id) end
  if redis.call('ZADD', base .. 'waiting', 'NX', asked, id) == 1 then
    redis.call('HINCRBY', base .. 'owners', owner, 1)
  end
end
local function runningOf(owner, most)
  local running = base .. 'running:' .. owner
  local count = redis.call('SCARD', running)
  if count < most then return count end
  -- A build that was lost with its bench and its worker does not count.
  for _, id in ipairs(redis.call('SMEMBERS', running)) do
    local o = redis.call('HMGET', base .. 'order:' .. id, 'ticket', 'queue', 'state')
    if o[3] ~= 'building' or redis.call('EXISTS', line(o[2]) .. o[1]) == 0 then redis.call('SREM', running, id) end
  end
  return redis.call('SCARD', running)
end
-- Whether the owner has room for a build: its running builds and its earlier builds that are about to begin count.
local function roomFor(owner, place, queue, most)
  local count = runningOf(owner, most)
  if count >= most then return false, count end
  local before = redis.call('ZRANGEBYSCORE', base .. 'own:' .. owner, '-inf', '(' .. place, 'LIMIT', 0, ${MAX_BUILDS_READ})
  for _, id in ipairs(before) do
    local o = redis.call('HMGET', base .. 'order:' .. id, 'ticket', 'queue', 'most', 'held', 'released', 'asked')
    if not o[1] then
      redis.call('ZREM', base .. 'own:' .. owner, id)
    else
      local its = tonumber(o[3] or 0)
      local fresh = now() - (o[5] or o[6]) < ${CLAIM_MS}
      local comes = o[4] and not o[5]
      if redis.call('EXISTS', line(o[2]) .. o[1]) == 0 then
        comes = comes or fresh
      else
        -- When a build of another queue begins is unknown.
        comes = comes or o[2] == queue or (o[5] and fresh)
      end
      if comes and count < its then count = count + 1 end
      if count >= most then return false, count end
    end
  end
  return true, count
end
-- Lets held builds go back to their queues, in the order of their requests, as many as may run.
local function release(owner)
  local held = base .. 'held:' .. owner
  for _, id in ipairs(redis.call('ZRANGE', held, 0, ${MAX_BUILDS_READ - 1})) do
    local order = base .. 'order:' .. id
    local o = redis.call('HMGET', order, 'ticket', 'queue', 'most', 'held', 'released', 'place', 'class', 'round')
    if not o[4] then
      redis.call('ZREM', held, id)
    else
      if not roomFor(owner, o[6] or '0', o[2], tonumber(o[3])) then return end
      local late = o[5] and now() - o[5] >= ${CLAIM_MS}
      -- The worker that found the limit has the job for a moment longer.
      if (late or not o[5]) and redis.call('EXISTS', line(o[2]) .. o[1]) == 0 then
        -- A held build gets the current round: it does not wait for builds that entered the queue later.
        local rounds = base .. 'rounds:' .. o[2]
        local seen = redis.call('HMGET', rounds, o[7], o[7] .. ':' .. owner)
        local round = math.max(1, tonumber(seen[1] or 1))
        redis.call('HSET', rounds, o[7] .. ':' .. owner, math.max(round, tonumber(seen[2] or 0)))
        redis.call('HSET', order, 'released', now(), 'round', round, 'priority', o[7] * ${ROUNDS} + round)
        tell(o[1], ${ENTRIES}, cjson.encode({kind = 'released'}))
      end
    end
  end
end
local function ran(id, owner)
  redis.call('SREM', base .. 'running:' .. owner, id)
  release(owner)
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
