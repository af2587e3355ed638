import type { Client } from '../../../../server/contract/client/client.ts';
import type { CallOptions } from '../../../../server/contract/client/request.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';

/** A source file in the page. */
export interface DesignFile {
  /** Base name, or the path within a project with `/`; the extension selects the language. */
  name: string;
  contents: Uint8Array;
}

/** The files of a build as submitted: one, or those of a project. */
export async function filesOfBuild(
  service: Client,
  { fpga_id, job_id, submit }: Job,
  options: CallOptions = {},
): Promise<DesignFile[]> {
  if (submit?.files === undefined) {
    const contents = await service.getSource({ fpga_id, job_id }, options);
    return [{ name: submit?.filename ?? 'design', contents }];
  }
  const listed = await service.listDesignFiles({ fpga_id, job_id }, options);
  return await Promise.all(
    listed.map(async ({ path }) => ({
      name: path,
      contents: await service.getDesignFile({ fpga_id, job_id, path }, options),
    })),
  );
}
