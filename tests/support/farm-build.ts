import { FarmBench } from './farm.ts';

/** A bench in a process of its own: has one design built by the farm at this address and prints `built`. */
export default async function farmBuild([address = '']: string[]): Promise<void> {
  const bench = await FarmBench.open(address);
  const { buildId } = await bench.build('a design').result;
  process.stdout.write(`built ${buildId}\n`);
  await bench.close();
}
