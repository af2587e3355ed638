import { uploadOf as uploadWith } from '../../../../server/contract/designs/project-upload.ts';
import type { DesignFile } from './design-file.ts';

/** See uploadOf of the contract; the packer loads on first use. */
export const uploadOf = (files: readonly DesignFile[]) =>
  uploadWith(files, async (all) => (await import('fflate')).zipSync(all));
