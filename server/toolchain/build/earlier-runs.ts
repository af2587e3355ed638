import type { ToolRun } from '../tool-engine.ts';
import type { PlacementInputs } from './placed-before.ts';
import type { StageContext } from './stage-context.ts';

/** Ends a run of place and route that waits for its netlist: an earlier one has its outputs. */
export class FoundEarlier extends Error {
  readonly outputs: Record<string, Uint8Array>;

  constructor(outputs: Record<string, Uint8Array>) {
    super('An earlier run of place and route had the same inputs.');
    this.outputs = outputs;
  }
}

/** Lines with findings. They name places in the sources, so an earlier run with one does not serve another design. */
const FINDING = /^(?:Warning|ERROR): /;

/** The use of earlier runs by one run of place and route. */
export class EarlierRuns {
  readonly #context: StageContext;
  readonly #run: Pick<ToolRun, 'tool' | 'args'> & Pick<PlacementInputs, 'files'>;
  #inputs: PlacementInputs | null = null;
  #hasFinding = false;

  constructor(context: StageContext, run: Pick<ToolRun, 'tool' | 'args'> & Pick<PlacementInputs, 'files'>) {
    this.#context = context;
    this.#run = run;
  }

  /** The netlist for the run; rejects with FoundEarlier when the run is not needed. */
  elseNetlist(pending: Promise<Uint8Array>): Promise<Uint8Array> {
    const netlist = this.#unlessFound(pending);
    // A run that does not start never reads it.
    netlist.catch(() => {});
    return netlist;
  }

  async #unlessFound(pending: Promise<Uint8Array>): Promise<Uint8Array> {
    const netlist = await pending;
    const { family, placedBefore } = this.#context;
    if (!family.reuse || !placedBefore) return netlist;
    this.#inputs = { ...this.#run, netlist: family.reuse.decisive(netlist) };
    const found = await placedBefore.find(this.#inputs);
    const outputs = found && family.reuse.adapt(found, netlist);
    if (outputs) throw new FoundEarlier(outputs);
    return netlist;
  }

  /** Reads a line of the run's output. */
  read(line: string): void {
    this.#hasFinding ||= FINDING.test(line);
  }

  /** Stores the outputs of the finished run in the background. */
  keep(outputs: Record<string, Uint8Array>): void {
    if (!this.#inputs || this.#hasFinding) return;
    // A run that is not stored is run again.
    this.#context.placedBefore?.put(this.#inputs, outputs).catch(() => {});
  }
}
