// The tokens come first: the components' styles use them.
import './styles/tokens.css';
import './styles/base.css';
import './styles/tables.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { followTheme } from './app/theme.ts';
import { listenForShortcuts } from './components/shortcuts.ts';
import { BenchClient } from './state/client/bench-client.ts';
import { BenchProvider } from './state/client/context.tsx';
import { baseOf, benchOf, memoryBelow, memoryOf, pageBase } from './state/page/at-bench.ts';
import { followLinks } from './state/page/router.ts';
import { showToast } from './state/page/toasts.ts';
import { text } from './text/text.ts';

/** Storage throws if the browser blocks cookies; then the page remembers nothing. */
function storage(pick: () => Storage): Storage | undefined {
  try {
    return pick();
  } catch {
    return undefined;
  }
}

const base = pageBase(window.location.href);
const memory = memoryBelow(
  storage(() => localStorage),
  base,
);
const tabMemory = memoryBelow(
  storage(() => sessionStorage),
  base,
);
const desktop = window.wishbench;
const { WebSocket } = window;
const home = new BenchClient({ memory, tabMemory, desktop, WebSocket, base });

function atHome(): BenchClient {
  window.history.replaceState(null, '', './#/');
  return home;
}

/**
 * The client of the bench in the page's address, through the bench that served the page; the latter if it does not know
 * that name.
 */
async function clientOf(name: string | undefined): Promise<BenchClient> {
  if (name === undefined) return home;
  try {
    const found = (await home.service.listBenches()).find((bench) => bench.name === name);
    if (found === undefined) {
      // An old link may name another bench: its node 3 is not the node 3 of this bench.
      const { notKnown, notKnownRemedy } = text.shell;
      showToast(home.toasts, { tone: 'bad', text: notKnown(name), remedy: notKnownRemedy });
      return atHome();
    }
    const at = { name, address: found.address };
    return new BenchClient({
      memory: memoryOf(memory, at),
      tabMemory: memoryOf(tabMemory, at),
      desktop,
      WebSocket,
      base: baseOf(name, base),
      at,
      home,
    });
  } catch {
    return atHome();
  }
}

const client = await clientOf(benchOf(window.location.search));
followTheme(client.preferences, document.documentElement);
listenForShortcuts(document);
followLinks(document);
client.connect();

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <BenchProvider client={client}>
      <App />
    </BenchProvider>,
  );
