import { createHash } from 'node:crypto';
import { loadCatalogue } from '../../boards/catalogue/index.ts';
import type { BoardDefinition } from '../../boards/definition.ts';
import type { Language } from '../../contract/designs/uploads.ts';
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

/** The capability with which these tools build for a board; null where a tool is missing. */
export async function capabilityOf(
  tools: InstalledTools,
  board: BoardDefinition,
  language: Language,
): Promise<Capability | null> {
  const engine = await tools.engineFor(board).catch((error: unknown) => {
    if (error instanceof BenchError) return null;
    throw error;
  });
  if (!engine) return null;
  const versions = await tools.versions(engine, board, language);
  return { family: board.fpga.family, engine: engine.name, language, versions, flow: await flowDigest() };
}

/** Lists everything that these tools can build. */
export async function capabilitiesOf(tools: InstalledTools): Promise<Capability[]> {
  const languages = (await tools.frontends.languages()).filter(({ refusal }) => refusal === null);
  const boards = new Map(loadCatalogue().boards.map((board) => [board.fpga.family, board]));
  const all = [...boards.values()].flatMap((board) =>
    languages.map(({ language }) => capabilityOf(tools, board, language)),
  );
  return (await Promise.all(all)).filter((one) => one !== null);
}
