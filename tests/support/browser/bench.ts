import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import type { CalledService } from '../api/called-service.ts';
import { ServiceInProcess } from '../api/service-in-process.ts';
import { keepBoardThread } from '../boards/board-thread.ts';
import type { Built } from '../built.ts';
import { type OpenedPage, type PageOptions, PREPARE_TIMEOUT } from './browser.ts';
import { startPages } from './pages.ts';

/** The source of an example. */
export const example = (name: string): string => readFileSync(resourcePath('examples', name), 'utf8');

interface TestBench<Service extends CalledService> {
  readonly service: Service;
  readonly browser: Browser;
  /** A page of the GUI for this test, as of a new visitor. @param place address within the bench, such as `/#/node/3` */
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

/** See `startBench`. @param kind how the service starts */
export function startBenchOf<Service extends CalledService>(
  kind: ServiceKind<Service>,
  built: readonly Built[] = [],
  prepare: (service: Service) => Promise<unknown> = async () => {},
): TestBench<Service> {
  let service: Service | undefined;
  const required = (): Service => {
    if (service === undefined) throw new Error('The bench is there when the first test begins.');
    return service;
  };
  beforeAll(async () => {
    keepBoardThread();
    service = await kind.start(built);
    await prepare(service);
  }, PREPARE_TIMEOUT);
  // Remains of a failed test would make its second try fail as well.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || service === undefined) return;
    const running = service;
    await running.resume();
    await Promise.all(Array.from({ length: 10 }, (_, node) => running.free(node)));
    await prepare(running);
  }, PREPARE_TIMEOUT);
  afterAll(() => service?.close());
  // What is declared last ends first: the pages go before their service.
  const pages = startPages();
  return {
    get service() {
      return required();
    },
    get browser() {
      return pages.browser;
    },
    open: async (place = '', options) => pages.open(required().url + place, options),
  };
}
