import type { InputHTMLAttributes, RefObject } from 'react';

interface FileInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'hidden' | 'onChange'> {
  /** Its `click` opens the file dialog. */
  input: RefObject<HTMLInputElement | null>;
  onFiles(files: File[]): void;
}

/**
 * A hidden file input. It listens on the element itself: React drops the event when the page no longer shows the input
 * by the time the dialog closes.
 */
export function FileInput({ input, onFiles, ...rest }: FileInputProps) {
  const listen = (element: HTMLInputElement | null) => {
    input.current = element;
    if (!element) return;
    element.onchange = () => {
      const files = [...(element.files ?? [])];
      // Lets the person choose the same file again.
      element.value = '';
      if (files.length > 0) onFiles(files);
    };
  };
  return <input {...rest} ref={listen} type="file" hidden />;
}
