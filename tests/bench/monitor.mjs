// Loaded into the measured service with --import: answers its parent's questions about the event loop and memory over
// the process channel. The service itself does not depend on it.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Threads of the service load this module too, and a timer of 5 ms in each would be measured with them.
if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();

  process.on('message', (question) => {
    if (question === 'reset') delay.reset();
    // Its timer is itself work: off while the cost of resting is measured.
    if (question === 'pause') delay.disable();
    if (question === 'read')
      process.send?.({
        p99: delay.percentile(99) / 1e6,
        max: delay.max / 1e6,
      });
  });
  // The channel must not keep a service alive that has to end.
  process.channel?.unref();
}
