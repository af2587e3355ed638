// First of all: what components say of themselves comes after the tokens.
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

/** Storage throws where cookies are blocked: then nothing is remembered. */
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

/** The bench that the page's address names, by way of the one that served it; that one where it is not known there. */
async function clientOf(name: string | undefined): Promise<BenchClient> {
  if (name === undefined) return home;
  try {
    const found = (await home.service.listBenches()).find((bench) => bench.name === name);
    if (found === undefined) {
      // A link from before, perhaps: its node 3 is not the node 3 of this bench, and nobody shall take it for that.
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
