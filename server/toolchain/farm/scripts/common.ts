/** Priorities of BullMQ end at 2^21: one half is for each class. */
export const ROUNDS = 2 ** 20;
/** Entries of what is told of a build that are kept at least; the log of a job has its own limit. */
export const ENTRIES = 20_000;
/** How long the place of a build is kept free for it between its release, or its being asked for, and its job in a queue, ms. */
const CLAIM_MS = 5000;
/** Builds of one owner that are looked at for one that may run. */
const LOOKED_AT = 200;

/**
 * What has to happen at once in Redis, as Lua. KEYS[1] is always BASE. Time is Redis's own, so that the clocks of benches
 * and workers may differ. Scripts that a lost connection may send twice do the same again.
 *
 * order:<build>     hash: the one try at a build that is under way, with who holds it
 * waiting           sorted set of builds by when they were asked for
 * owners            hash: owner → builds that wait
 * own:<owner>       sorted set of an owner's builds that wait under a limit, by place: interactive ones first, then as they were
 *                   asked for; without a limit it has none
 * running:<owner>   set of builds that are being made; held:<owner> those of own:<owner> that have to wait for one of them to
 *                   end: they have left their queue, and their bench puts them into it again when they are released
 * rounds:<queue>    hash: class → the round that is being built; class:owner → the last round that the owner has
 * wants:<ticket>    set of benches that wait for the result
 * log:<ticket>      stream of what is told of the build
 * ended:<build>     the ticket of a try that has ended, until every bench that waits for it has taken note
 * build:<build>     hash: SHA-256 and bytes of the result; artifact:<sha256> has the bytes
 * builds            sorted set of kept results by last use; builds:bytes is their size
 * workers           sorted set of workers by last sign of life; worker:<id> expires without one
 * name:<name>       the worker that has it, where nobody gave it one; expires like the worker
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
-- Whether the worker that had begun a build has gone: it is built by nobody, wherever its job is.
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
  -- What was lost with its bench and its worker holds nobody up.
  for _, id in ipairs(redis.call('SMEMBERS', running)) do
    local o = redis.call('HMGET', base .. 'order:' .. id, 'ticket', 'queue', 'state')
    if o[3] ~= 'building' or redis.call('EXISTS', line(o[2]) .. o[1]) == 0 then redis.call('SREM', running, id) end
  end
  return redis.call('SCARD', running)
end
-- Whether the builds that run, and those of the owner that were asked for before and are about to begin, leave it room.
local function roomFor(owner, place, queue, most)
  local count = runningOf(owner, most)
  if count >= most then return false, count end
  local before = redis.call('ZRANGEBYSCORE', base .. 'own:' .. owner, '-inf', '(' .. place, 'LIMIT', 0, ${LOOKED_AT})
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
        -- In another queue nobody knows when its turn comes.
        comes = comes or o[2] == queue or (o[5] and fresh)
      end
      if comes and count < its then count = count + 1 end
      if count >= most then return false, count end
    end
  end
  return true, count
end
-- Lets builds that are held go to their queues again, in the order in which they were asked for, as many as may run.
local function release(owner)
  local held = base .. 'held:' .. owner
  for _, id in ipairs(redis.call('ZRANGE', held, 0, ${LOOKED_AT - 1})) do
    local order = base .. 'order:' .. id
    local o = redis.call('HMGET', order, 'ticket', 'queue', 'most', 'held', 'released', 'place', 'class', 'round')
    if not o[4] then
      redis.call('ZREM', held, id)
    else
      if not roomFor(owner, o[6] or '0', o[2], tonumber(o[3])) then return end
      local late = o[5] and now() - o[5] >= ${CLAIM_MS}
      -- The worker that found that it may not run has its job for a moment yet.
      if (late or not o[5]) and redis.call('EXISTS', line(o[2]) .. o[1]) == 0 then
        -- Who was held waits for nobody who came into the queue meanwhile.
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
