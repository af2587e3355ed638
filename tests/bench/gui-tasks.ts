import { launchBrowser } from '../support/browser/browser.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import { doTask, TASKS } from '../support/browser/tasks.ts';
import { type Figure, reported } from './figure.ts';

/** Three tasks with the built service. The designs are built for the first time. */
export async function measureTasks(): Promise<Figure[]> {
  const browser = await launchBrowser();
  const service = await ServiceProcess.start();
  const figures: Figure[] = [];
  try {
    for (const task of TASKS) {
      const { clicks, keys, seconds } = await doTask(browser, service, task, `\n// ${Date.now()}`);
      figures.push(
        reported(`${task.name}: clicks`, clicks, ''),
        reported(`${task.name}: keys besides text`, keys, ''),
        reported(`${task.name}: time`, seconds, 's'),
      );
    }
  } finally {
    await browser.close();
    await service.close();
  }
  return figures;
}
