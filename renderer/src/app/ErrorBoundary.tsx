import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button } from '../components/Button.tsx';
import { EmptyState } from '../components/Empty.tsx';
import { text } from '../text/text.ts';

/** Shows that a screen failed and keeps the rest of the window alive. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('unknown') };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <EmptyState
        icon="error"
        title={text.shell.broken}
        action={<Button onClick={() => window.location.reload()}>{text.shell.reload}</Button>}
        text={text.shell.brokenText}
      />
    );
  }
}
