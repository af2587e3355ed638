import { resourcePath } from '../../server/paths.ts';
import { PythonProcess } from '../support/clients/python.ts';
import { type Figure, reported } from './figure.ts';
import { ServiceProcess } from './service-process.ts';

/**
 * Prints a line of JSON for each transport of the service: words a second one by one, and in bursts of the example's
 * size; null without a stream.
 */
const SCRIPT = `
import json, sys, time, wishbench

def rate(work, words, seconds=3.0):
    for _ in range(3):
        work()
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        work()
        done += words
    return done / (time.perf_counter() - began)

for transport in ("stream", "rest"):
    try:
        with wishbench.Bench(transport=transport).program(sys.argv[1]) as node:
            burst = list(range(512))
            print(json.dumps([
                rate(lambda: node.read(0), 1),
                rate(lambda: node.write(0, 1), 1),
                rate(lambda: node.read(0, 512), 512),
                rate(lambda: node.write(0, burst), 512),
            ]))
    except wishbench.Refused as error:
        if error.status != 404:
            raise
        print("null")
`;

const NAMES = ['single reads', 'single writes', 'bursts of 512 read', 'bursts of 512 written'];

/** Words a second of a Python script on a virtual board, over the stream where the service has one and over REST. */
export async function measurePythonClient(): Promise<Figure[]> {
  const service = await ServiceProcess.start();
  try {
    const { code, stdout, stderr } = await new PythonProcess(
      ['-c', SCRIPT, resourcePath('examples', 'echo.v')],
      { url: service.url },
    ).ended;
    if (code !== 0) throw new Error(`the script failed: ${stderr}`);
    const lines = stdout.trim().split('\n');
    return ['stream', 'REST'].flatMap((transport, at) => {
      const rates = JSON.parse(lines[at] ?? 'null') as number[] | null;
      return (rates ?? []).map((rate, which) =>
        reported(`Python over ${transport}, ${NAMES[which]}`, rate, 'words/s'),
      );
    });
  } finally {
    await service.stop();
  }
}
