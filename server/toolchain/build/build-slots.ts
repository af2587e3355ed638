import os from 'node:os';

/** Memory of a small build, and memory that the service itself needs, bytes. */
const BUILD_MEMORY = 512 * 2 ** 20;
const SERVICE_MEMORY = 1024 * 2 ** 20;

/** Number of build slots: one for each core, as far as memory allows. The service and idle boards need little. */
export function defaultSlots(cores: number, memory: number): number {
  const byMemory = Math.floor((memory - SERVICE_MEMORY) / BUILD_MEMORY);
  return Math.max(1, Math.min(cores, byMemory));
}

/** Memory that this process may use, bytes. */
function memoryOfMachine(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = os.totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

/** Number of build slots of this machine. */
export const slotsOfMachine = (): number => defaultSlots(os.availableParallelism(), memoryOfMachine());
