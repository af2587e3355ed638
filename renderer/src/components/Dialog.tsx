import { type ReactNode, useEffect, useId, useRef } from 'react';
import './dialog.css';
import { text } from '../text/text.ts';
import { Button, IconButton } from './Button.tsx';
import { focusedElement } from './focus.ts';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** Buttons at the bottom, the safe one first. */
  actions?: ReactNode;
  /** `side` is at the right edge of the window. */
  size?: 'small' | 'medium' | 'large' | 'side';
}

/** A modal dialog on the browser's <dialog>: it traps the focus, closes with Escape, and then restores the focus. */
export function Dialog({ title, onClose, children, actions, size = 'small' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = focusedElement();
    if (dialog && !dialog.open) dialog.showModal();
    // showModal focuses the first control, the close button. An element with data-first-focus takes precedence.
    dialog?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    return () => {
      dialog?.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={`dialog dialog-${size}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-frame">
        <div className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label={text.close} onClick={onClose} />
        </div>
        <div className="dialog-body">{children}</div>
        {actions && <div className="dialog-actions">{actions}</div>}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** Names the loss. */
  children: ReactNode;
  confirm: string;
  onConfirm(): void;
  onClose(): void;
}

/** Asks once before the person loses something. The safe answer has the focus: Enter changes nothing. */
export function ConfirmDialog({ title, children, confirm, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button kind="plain" onClick={onClose} data-first-focus="">
            {text.keep}
          </Button>
          <Button
            kind="danger"
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
