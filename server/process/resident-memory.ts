import { readdir, readFile } from 'node:fs/promises';

/** Bytes of a page on the processors of Node.js, except some ARM kernels with larger ones. */
const PAGE = 4096;

/** Bytes of memory of a process and its descendants, from /proc (proc(5)); 0 elsewhere. */
export async function residentMemory(pid: number): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const pages = await Promise.all([pid, ...(await descendants(pid))].map(residentPages));
  return pages.reduce((sum, count) => sum + count, 0) * PAGE;
}

async function descendants(pid: number): Promise<number[]> {
  try {
    const tasks = await readdir(`/proc/${pid}/task`);
    const lists = await Promise.all(
      tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')),
    );
    const children = lists.join(' ').split(/\s+/).filter(Boolean).map(Number);
    return [...children, ...(await Promise.all(children.map(descendants))).flat()];
  } catch {
    return []; // it has ended meanwhile
  }
}

async function residentPages(pid: number): Promise<number> {
  try {
    const [, resident = '0'] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
    return Number(resident);
  } catch {
    return 0; // it has ended meanwhile
  }
}
