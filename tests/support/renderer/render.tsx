import { cleanup, configure, render, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { onTestFinished } from 'vitest';
import { listenForShortcuts } from '../../../renderer/src/components/shortcuts.ts';
import type { BenchClientOptions } from '../../../renderer/src/state/client/bench-client.ts';
import { BenchProvider } from '../../../renderer/src/state/client/context.tsx';
import { type FakeService, fakeBench } from './fake-service.ts';

// A screen is loaded when it is first shown; on a busy machine that takes longer than the default second.
configure({ asyncUtilTimeout: 60_000 });

/** Draws a part of the GUI over a fake service until the end of the test, and waits for the snapshot. */
export async function show(children: ReactNode, service?: FakeService, options?: BenchClientOptions) {
  const bench = fakeBench(service, options);
  const ends = [bench.client.connect(), listenForShortcuts(document)];
  onTestFinished(() => {
    cleanup();
    for (const end of ends) end();
    window.location.hash = '';
  });
  const view = render(<BenchProvider client={bench.client}>{children}</BenchProvider>);
  await waitFor(() => {
    if (bench.client.connection.getState().connection.kind !== 'live') throw new Error('not live yet');
    if (bench.client.nodes.getState().nodes === undefined) throw new Error('no nodes yet');
  });
  return { ...bench, ...view };
}
