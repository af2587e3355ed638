import type { Client } from '../../contract/client/client.ts';
import { ServiceError } from '../../contract/client/failures.ts';
import { RegisterNameError } from '../../contract/client/register-names.ts';
import type { RegisterMap } from '../../contract/designs/register-map.ts';
import { CommandError, UsageError } from '../usage.ts';

/** The map of a node's design. @throws CommandError, ServiceError */
export async function mapOfNode(client: Client, fpga_id: number): Promise<RegisterMap> {
  const { design } = await client.getNodeDetails({ fpga_id });
  if (!design?.design_id) throw new CommandError(`No design runs on node ${fpga_id}.`);
  return client.getDesignMap({ design_id: design.design_id }).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'no_register_map') throw error;
    const why = `The design on node ${fpga_id} has no register map: its registers have no names.`;
    const remedy = `Use addresses, or add the inferred map with “wishbench map propose ${fpga_id} --accept”.`;
    throw new ServiceError(error.status, error.code, `${why} ${remedy}`);
  });
}

/** Turns an unknown name into a usage error. */
export async function byName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RegisterNameError ? new UsageError(error.message) : error;
  }
}
