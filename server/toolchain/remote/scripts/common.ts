/**
 * What has to happen at once in Redis, as Lua. KEYS[1] is always BASE. Time is Redis's own, so that the clocks of benches
 * and workers may differ. Scripts that a lost connection may send twice do the same again.
 *
 * order:<build>     hash: the one try at a build that is under way, with who holds it
 * waiting           sorted set of builds by when they were asked for
 * owners            hash: owner → builds that wait
 * running:<owner>   set of builds that are being made; held:<owner> sorted set of tickets that wait for one of them to end
 * rounds:<queue>    hash: class → the round that is being built; class:owner → the last round that the owner has
 * wants:<ticket>    set of benches that wait for the result
 * log:<ticket>      stream of what is told of the build
 * ended:<build>     the ticket of a try that has ended, until every bench that waits for it has taken note
 * build:<build>     hash: SHA-256 and bytes of the result; artifact:<sha256> has the bytes
 * builds            sorted set of kept results by last use; builds:bytes is their size
 * workers           sorted set of workers by last sign of life; worker:<id> expires without one
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
local function mayRun(owner, most)
  local running = base .. 'running:' .. owner
  if redis.call('SCARD', running) < most then return true end
  -- What was lost with its bench and its worker holds nobody up.
  for _, id in ipairs(redis.call('SMEMBERS', running)) do
    local o = redis.call('HMGET', base .. 'order:' .. id, 'ticket', 'queue', 'state')
    local line = o[2] and string.gsub(base, 'farm:$', o[2] .. ':')
    if o[3] ~= 'building' or redis.call('EXISTS', line .. o[1]) == 0 then redis.call('SREM', running, id) end
  end
  return redis.call('SCARD', running) < most
end
local function ran(id, owner)
  redis.call('SREM', base .. 'running:' .. owner, id)
  local held = base .. 'held:' .. owner
  while true do
    local ticket = redis.call('ZRANGE', held, 0, 0)[1]
    if not ticket then return end
    redis.call('ZREM', held, ticket)
    local order = base .. 'order:' .. string.sub(ticket, 1, 64)
    if redis.call('HGET', order, 'ticket') == ticket and redis.call('HDEL', order, 'held') == 1 then
      return tell(ticket, 20000, cjson.encode({kind = 'released'}))
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
