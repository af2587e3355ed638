import { type AsyncZippable, zip } from 'fflate';

/** A zip file. @param now ms since the epoch, the time of its files */
export const zipOf = (files: AsyncZippable, now: number): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    zip(files, { level: 6, mtime: now }, (error, bytes) =>
      error ? reject(error) : resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    ),
  );
