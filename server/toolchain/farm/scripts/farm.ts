import { COMMON } from './common.ts';

/** Scripts about the whole farm, by name. */
export const FARM_SCRIPTS = {
  /** All capabilities. → time of Redis in ms, then for each: queue, capability, time of the last announcement in ms */
  offers: `${COMMON}
local answer = {tostring(now())}
for _, queue in ipairs(redis.call('ZREVRANGE', base .. 'queues', 0, -1)) do
  answer[#answer + 1] = queue
  answer[#answer + 1] = redis.call('HGET', base .. 'capabilities', queue) or ''
  answer[#answer + 1] = redis.call('ZSCORE', base .. 'queues', queue)
end
return answer
`,

  /**
   * State of the whole farm. Whoever looks also returns builds of silent workers to their lines.
   * ARGV: limit of the line of each queue, and limit of running builds; reading builds is most of the work
   * → workers, capabilities, line, building, owners, counts, stored results
   */
  view: `${COMMON}
reclaim()
local t = now()
local workers, front, building = {}, {}, {}
for _, id in ipairs(redis.call('ZRANGE', base .. 'workers', 0, -1)) do
  local text = redis.call('GET', base .. 'worker:' .. id)
  if text then workers[#workers + 1] = text end
end
local function entry(id, place, held)
  local o = redis.call('HMGET', base .. 'order:' .. id, 'file', 'owner', 'asked', 'queue', 'class', 'name', 'began', 'bench')
  local began = place == 0 and o[7] and tostring(t - o[7]) or ''
  return {id, tostring(place), o[1], o[2], tostring(t - o[3]), o[4], o[5], o[6] or '', began, o[8], held or ''}
end
local most, maxBuilding = tonumber(ARGV[1]), tonumber(ARGV[2])
-- An end of -1 selects all.
local function first(key, count)
  return count > 0 and redis.call('ZRANGE', key, 0, count - 1) or {}
end
for _, id in ipairs(first(base .. 'leases', maxBuilding)) do building[#building + 1] = entry(id, 0) end
for _, queue in ipairs(redis.call('ZRANGE', base .. 'queues', 0, -1)) do
  for place, id in ipairs(first(base .. 'line:' .. queue, most)) do front[#front + 1] = entry(id, place) end
end
local left = most
for _, owner in ipairs(redis.call('HKEYS', base .. 'owners')) do
  for place, id in ipairs(first(base .. 'held:' .. owner, left)) do
    front[#front + 1] = entry(id, place, 'owner_limit')
    left = left - 1
  end
end
local minute = math.floor(t / 60000)
local rates = {}
for i = 1, 10 do
  local r = redis.call('HMGET', base .. 'rate:' .. (minute - i), 'built', 'failed', 'stopped', 'milliseconds')
  for j = 1, 4 do rates[j] = (rates[j] or 0) + tonumber(r[j] or 0) end
end
return {workers, redis.call('HGETALL', base .. 'capabilities'), front, building, redis.call('HGETALL', base .. 'owners'),
  {waiting(), redis.call('ZCARD', base .. 'builds'), tonumber(redis.call('GET', base .. 'builds:bytes') or 0)}, rates}
`,
};
