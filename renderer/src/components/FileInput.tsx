import type { InputHTMLAttributes, RefObject } from 'react';

interface FileInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'hidden' | 'onChange'> {
  /** Its `click` opens the dialog. */
  input: RefObject<HTMLInputElement | null>;
  onFiles(files: File[]): void;
}

/**
 * Has files chosen in a dialog, also when the page shows something else in its place by the time that the dialog is closed: the
 * element listens itself, for React hears a change only of what the page shows.
 */
export function FileInput({ input, onFiles, ...rest }: FileInputProps) {
  const listen = (element: HTMLInputElement | null) => {
    input.current = element;
    if (!element) return;
    element.onchange = () => {
      const files = [...(element.files ?? [])];
      // The same file may be chosen once more.
      element.value = '';
      if (files.length > 0) onFiles(files);
    };
  };
  return <input {...rest} ref={listen} type="file" hidden />;
}
