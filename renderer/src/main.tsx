// First of all: what components say of themselves comes after the tokens.
import './styles/tokens.css';
import './styles/base.css';
import './styles/tables.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { followTheme } from './app/theme.ts';
import { listenForShortcuts } from './components/shortcuts.ts';
import { BenchClient } from './state/bench-client.ts';
import { BenchProvider } from './state/context.tsx';
import { adoptPath, followLinks } from './state/router.ts';

/** Storage throws where cookies are blocked: then nothing is remembered. */
function storage(pick: () => Storage): Storage | undefined {
  try {
    return pick();
  } catch {
    return undefined;
  }
}

const client = new BenchClient({
  memory: storage(() => localStorage),
  tabMemory: storage(() => sessionStorage),
  desktop: window.wishbench,
  WebSocket: window.WebSocket,
});

adoptPath(window.location, window.history);
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
