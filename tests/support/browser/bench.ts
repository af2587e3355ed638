import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import type { CalledService } from '../api/called-service.ts';
import { ServiceInProcess } from '../api/service-in-process.ts';
import { keepBoardThread } from '../boards/board-thread.ts';
import type { Built } from '../built.ts';
import {
  borrowBrowser,
  type OpenedPage,
  openPage,
  type PageOptions,
  PREPARE_TIMEOUT,
  returnBrowser,
} from './browser.ts';

/** The source of an example. */
export const example = (name: string): string => readFileSync(resourcePath('examples', name), 'utf8');

interface TestBench<Service extends CalledService> {
  readonly service: Service;
  readonly browser: Browser;
  /** A page of the GUI, in a context of its own. @param place address within the bench, such as `/#/node/3` */
  open(place?: string, options?: PageOptions): Promise<OpenedPage>;
}

/** Starts the service of a `describe`. @param built designs that the service finds in its cache */
interface ServiceKind<Service extends CalledService> {
  start(built: readonly Built[]): Promise<Service>;
}

/**
 * A service and a browser for all tests of a `describe`; the service ends after them. After one that failed its pages are closed,
 * the service runs again, every node is released, and the bench is prepared again.
 * @param built designs that the service finds in its cache
 * @param prepare what is to be on the bench before the first test; begins with ten idle nodes
 */
export const startBench = (
  built: readonly Built[] = [],
  prepare?: (service: ServiceInProcess) => Promise<unknown>,
): TestBench<ServiceInProcess> => startBenchOf(ServiceInProcess, built, prepare);

/** See `startBench`. @param kind ServiceProcess where the test is about the process, or real builds */
export function startBenchOf<Service extends CalledService>(
  kind: ServiceKind<Service>,
  built: readonly Built[] = [],
  prepare: (service: Service) => Promise<unknown> = async () => {},
): TestBench<Service> {
  let started: [Service, Browser] | undefined;
  const required = (): [Service, Browser] => {
    if (started === undefined) throw new Error('The bench is there when the first test begins.');
    return started;
  };
  beforeAll(async () => {
    keepBoardThread();
    started = await Promise.all([kind.start(built), borrowBrowser()]);
    await prepare(started[0]);
  }, PREPARE_TIMEOUT);
  // Remains of a failed test would make its second try fail as well.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || started === undefined) return;
    const [service, browser] = started;
    await Promise.all(browser.contexts().map((context) => context.close()));
    await service.resume();
    await Promise.all(Array.from({ length: 10 }, (_, node) => service.free(node)));
    await prepare(service);
  }, PREPARE_TIMEOUT);
  afterAll(async () => {
    if (started === undefined) return;
    const [service, browser] = started;
    await Promise.all([service.close(), returnBrowser(browser)]);
  });
  return {
    get service() {
      return required()[0];
    },
    get browser() {
      return required()[1];
    },
    open(place = '', options) {
      const [service, browser] = required();
      return openPage(browser, service.url + place, options);
    },
  };
}
