import type { Worker as QueueWorker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../../clock.ts';

/**
 * Puts builds that lost their worker back into their queues. One worker at a time checks for all, twice in a lease.
 * While Redis is away every lease runs out. After an outage the check therefore waits for one lease, which gives each
 * worker time to reconnect.
 * @param lease seconds
 * @returns ends the checks
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
