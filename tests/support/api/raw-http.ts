import net from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends bytes as they are over a TCP connection and reads the answer to the end of the connection. */
export function sendRaw(
  url: string,
  bytes: string | Uint8Array,
  options: { end?: boolean } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
    const chunks: Buffer[] = [];
    socket.on('connect', () => {
      if (options.end) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const answer = parse(Buffer.concat(chunks));
      if (answer) {
        socket.destroy();
        resolve(answer);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const answer = parse(Buffer.concat(chunks), true);
      if (answer) resolve(answer);
      else reject(new Error(`no answer: ${Buffer.concat(chunks).toString('latin1').slice(0, 200)}`));
    });
  });
}

function parse(bytes: Buffer, closed = false): RawAnswer | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = bytes.subarray(end + 4);
  if (!closed && headers['content-length'] !== undefined && body.length < Number(headers['content-length']))
    return null;
  return { status: Number(first.split(' ')[1]), headers, body: body.toString('utf8') };
}

/** The head of a request with a Host that is ours. */
export const head = (url: string, line: string, headers: Record<string, string> = {}): string =>
  `${line} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
