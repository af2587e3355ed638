// Serves the tests on the host from inside the guest: runs commands, and forwards connections to the service, which
// listens only on the guest's loopback.
import { spawn } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';

const AGENT_PORT = 9000;
const PASSED_ON = { from: 9001, to: 8000 };

/** Runs a line of bash to its end; its output and that of its children, in the order in which it came. */
function run({ command, user }) {
  return new Promise((resolve) => {
    const args = ['-c', `exec 2>&1; ${command}`];
    const child =
      user === undefined
        ? spawn('bash', args, { stdio: ['ignore', 'pipe', 'ignore'] })
        : spawn('runuser', ['-u', user, '--', 'bash', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', (error) => resolve({ code: -1, output: String(error) }));
    child.on('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

const server = http.createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  response.end(JSON.stringify(await run(JSON.parse(body))));
});
server.requestTimeout = 0;
server.listen(AGENT_PORT, '0.0.0.0', () => process.stdout.write('The guest is ready.\n'));

net
  .createServer((outside) => {
    const inside = net.connect(PASSED_ON.to, '127.0.0.1');
    outside.pipe(inside).pipe(outside);
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
  })
  .listen(PASSED_ON.from, '0.0.0.0');
