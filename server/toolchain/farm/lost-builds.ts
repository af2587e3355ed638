import type { Worker as QueueWorker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../../clock.ts';

/**
 * Has builds that lost their worker put back into their queues: looked for twice in a lease, by one worker for all. While Redis
 * is away all leases run out, whoever holds them, so that when it is back nobody is judged before everybody had a lease of time
 * to come back, too.
 * @param lease seconds
 * @returns ends it
 */
export function watchLostBuilds(
  queues: readonly QueueWorker[],
  redis: Redis,
  clock: Clock,
  lease: number,
): () => void {
  let away = false;
  let cancel = () => {};
  const look = () => {
    for (const queue of queues) void queue.startStalledCheckTimer();
  };
  const goAway = () => {
    cancel();
    if (!away) for (const queue of queues) void queue.pause(true);
    away = true;
  };
  const comeBack = () => {
    if (!away) return;
    away = false;
    for (const queue of queues) void queue.resume();
    cancel = clock.after(lease * 1000, look);
  };
  redis.on('close', goAway);
  redis.on('ready', comeBack);
  look();
  return () => {
    cancel();
    redis.off('close', goAway);
    redis.off('ready', comeBack);
  };
}
