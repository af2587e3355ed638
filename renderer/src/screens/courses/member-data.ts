import type { Client } from '../../../../server/contract/client/client.ts';
import { saveFile } from '../../components/clipboard.ts';

/** Saves all that a course stores about a member. */
export const saveMemberData = async (service: Client, course_id: string, username: string): Promise<void> =>
  saveFile(`${username}.zip`, await service.exportMember({ course_id, username }), 'application/zip');
