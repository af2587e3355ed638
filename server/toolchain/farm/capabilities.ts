import { createHash } from 'node:crypto';
import { loadCatalogue } from '../../boards/catalogue/index.ts';
import type { BoardDefinition } from '../../boards/definition.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { FLOW_REVISION } from '../build/build-id.ts';
import { gatewareHash } from '../build/gateware.ts';
import type { InstalledTools } from '../build/installed-tools.ts';
import type { Capability } from './messages.ts';

/** Version of the messages between benches and workers. It is part of a queue's name. */
const PROTOCOL = 3;

let digest: Promise<string> | null = null;

/** Digest of what affects the output besides the tools: the base SoC and the flow. Computed once. */
export function flowDigest(): Promise<string> {
  digest ??= gatewareHash().then((gateware) =>
    createHash('sha256').update(`${FLOW_REVISION}\0${gateware}`).digest('hex'),
  );
  return digest;
}

/**
 * The queue of a capability: family, engine, language, and a digest of the tools' versions. Workers of another version
 * have their own queues and never get a build that they cannot make.
 */
export function queueOf({ family, engine, language, versions, flow }: Capability): string {
  const tools = Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256')
    .update(JSON.stringify([tools, flow, PROTOCOL]))
    .digest('hex');
  return `${family}.${engine}.${language}.${digest.slice(0, 12)}`;
}

/** Lists everything that these tools can build. */
export async function capabilitiesOf(tools: InstalledTools): Promise<Capability[]> {
  const flow = await flowDigest();
  const languages = (await tools.frontends.languages()).filter(({ refusal }) => refusal === null);
  const families = new Map<string, BoardDefinition>();
  for (const board of loadCatalogue().boards) families.set(board.fpga.family, board);
  const found: Capability[] = [];
  for (const [family, board] of families) {
    const engine = await tools.engineFor(board).catch((error: unknown) => {
      if (error instanceof BenchError) return null;
      throw error;
    });
    if (!engine) continue;
    for (const { language } of languages) {
      const versions = await tools.versions(engine, board, language);
      found.push({ family, engine: engine.name, language, versions, flow });
    }
  }
  return found;
}
