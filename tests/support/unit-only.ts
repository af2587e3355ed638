// Holds the unit level to its rule: a test that starts a process or a thread, or uses the network, fails.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workers from 'node:worker_threads';

const refuse = (what: string) => () => {
  throw new Error(`A unit test must not ${what}: move it to tests/integration or tests/acceptance.`);
};

const processes = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;
for (const name of processes) Object.assign(childProcess, { [name]: refuse('start a process') });
Object.assign(workers, {
  Worker: class {
    constructor() {
      refuse('start a thread')();
    }
  },
});
Object.assign(net.Server.prototype, { listen: refuse('listen on the network') });
Object.assign(net.Socket.prototype, { connect: refuse('connect to the network') });
syncBuiltinESMExports();
