import { COMMON } from './common.ts';

/** All capabilities. → time of Redis in ms, then for each: queue, capability, time of the last announcement in ms */
export const OFFERS = `${COMMON}
local answer = {tostring(now())}
for _, queue in ipairs(redis.call('ZREVRANGE', base .. 'queues', 0, -1)) do
  answer[#answer + 1] = queue
  answer[#answer + 1] = redis.call('HGET', base .. 'capabilities', queue) or ''
  answer[#answer + 1] = redis.call('ZSCORE', base .. 'queues', queue)
end
return answer
`;

/**
 * State of the whole farm. The line begins with builds that lost their worker or were given back.
 * ARGV: limit of the line and limit of running builds, for each queue; reading builds is most of the work
 * → workers, capabilities, line, building, owners, counts, stored results
 */
export const VIEW = `${COMMON}
local t = now()
local workers, front, building, lost = {}, {}, {}, 0
for _, id in ipairs(redis.call('ZRANGE', base .. 'workers', 0, -1)) do
  local text = redis.call('GET', base .. 'worker:' .. id)
  if text then workers[#workers + 1] = text end
end
local function entry(id, place, held)
  local o = redis.call('HMGET', base .. 'order:' .. id, 'file', 'owner', 'asked', 'queue', 'class', 'name', 'began', 'bench')
  if not o[1] then return nil end
  local began = place == 0 and o[7] and tostring(t - o[7]) or ''
  return {id, tostring(place), o[1], o[2], tostring(t - o[3]), o[4], o[5], o[6] or '', began, o[8], held or ''}
end
local most, maxBuilding = tonumber(ARGV[1]), tonumber(ARGV[2])
for _, queue in ipairs(redis.call('ZRANGE', base .. 'queues', 0, -1)) do
  local keys = line(queue)
  local before = 0
  local function again(ticket)
    local id = string.sub(ticket, 1, 64)
    local shown = entry(id, before + 1)
    if not shown then return end
    before = before + 1
    front[#front + 1] = shown
    if redis.call('HGET', base .. 'order:' .. id, 'state') == 'building' then lost = lost + 1 end
  end
  local active = maxBuilding > 0 and redis.call('LRANGE', keys .. 'active', 0, maxBuilding - 1) or {}
  for _, ticket in ipairs(active) do
    local id = string.sub(ticket, 1, 64)
    local o = redis.call('HMGET', base .. 'order:' .. id, 'state', 'worker')
    if not orphaned(o[1], o[2]) then
      building[#building + 1] = entry(id, 0)
    elseif before < most then
      again(ticket)
    end
  end
  -- The list is served from its end.
  local back = before < most and redis.call('LRANGE', keys .. 'wait', before - most, -1) or {}
  for i = #back, 1, -1 do again(back[i]) end
  -- An end of -1 would select the whole line.
  local tickets = before < most and redis.call('ZRANGE', keys .. 'prioritized', 0, most - before - 1) or {}
  for rank, ticket in ipairs(tickets) do
    front[#front + 1] = entry(string.sub(ticket, 1, 64), before + rank)
  end
end
local left = most
for _, owner in ipairs(redis.call('HKEYS', base .. 'owners')) do
  if left <= 0 then break end
  for rank, id in ipairs(redis.call('ZRANGE', base .. 'held:' .. owner, 0, left - 1)) do
    -- A released build is back in its queue, or about to be.
    if not redis.call('HGET', base .. 'order:' .. id, 'released') then
      front[#front + 1] = entry(id, rank, 'owner_limit')
      left = left - 1
    end
  end
end
local minute = math.floor(t / 60000)
local rates = {}
for i = 1, 10 do
  local r = redis.call('HMGET', base .. 'rate:' .. (minute - i), 'built', 'failed', 'stopped', 'milliseconds')
  for j = 1, 4 do rates[j] = (rates[j] or 0) + tonumber(r[j] or 0) end
end
return {workers, redis.call('HGETALL', base .. 'capabilities'), front, building, redis.call('HGETALL', base .. 'owners'),
  {redis.call('ZCARD', base .. 'waiting') + lost, redis.call('ZCARD', base .. 'builds'), tonumber(redis.call('GET', base .. 'builds:bytes') or 0)}, rates}
`;

/** Builds that one sweep reads. The next sweep continues after them. */
const SWEPT = 500;

/**
 * Removes waiting builds that have no job: their bench died between the request and the queue. Every bench calls
 * this; one call at a time runs. ARGV: minimum age in ms, interval between sweeps in ms → number removed
 */
export const SWEEP = `${COMMON}
if not redis.call('SET', base .. 'sweeping', 1, 'NX', 'PX', ARGV[2]) then return 0 end
local from = tonumber(redis.call('GET', base .. 'swept') or 0)
local found = redis.call('ZRANGEBYSCORE', base .. 'waiting', 0, now() - tonumber(ARGV[1]), 'LIMIT', from, ${SWEPT})
local cleared, gone = 0, 0
for _, id in ipairs(found) do
  local order = base .. 'order:' .. id
  local o = redis.call('HMGET', order, 'queue', 'ticket', 'owner', 'held', 'released')
  local last = tonumber(o[5] or o[4] or 0)
  if not o[1] then
    redis.call('ZREM', base .. 'waiting', id)
    gone = gone + 1
  elseif now() - last < (o[5] and 60000 or 600000) then
    -- Its bench puts it back into its queue when it may run.
  elseif redis.call('EXISTS', line(o[1]) .. o[2]) == 0 then
    unwait(id, o[3])
    redis.call('DEL', order, base .. 'wants:' .. o[2], base .. 'log:' .. o[2])
    release(o[3])
    cleared = cleared + 1
  end
end
-- Removed builds leave the set, and the ones after them move up.
local on = #found < ${SWEPT} and 0 or from + #found - cleared - gone
redis.call('SET', base .. 'swept', on, 'PX', 3600000)
return cleared
`;
