import { type ReactNode, useEffect, useState } from 'react';
import { copyPlain } from './clipboard.ts';
import './copy.css';
import { text } from '../text/text.ts';
import { Icon } from './Icon.tsx';

/** An identifier, address or word; a click copies its plain value. */
export function CopyText({
  value,
  shown = value,
  label,
}: {
  value: string;
  shown?: ReactNode;
  label: string;
}) {
  const [copied, setCopied] = useState<'yes' | 'no' | undefined>();
  useEffect(() => {
    if (copied === undefined) return;
    const timer = setTimeout(() => setCopied(undefined), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <button
        type="button"
        className="copy"
        title={`${text.copy}: ${value}`}
        onClick={async () => setCopied((await copyPlain(value)) ? 'yes' : 'no')}
      >
        <span className="sr-only">{`${text.copy} ${label} `}</span>
        <span className="mono truncate">{shown}</span>
        <Icon name={copied === 'yes' ? 'complete' : 'copy'} size={13} />
      </button>
      <span role="status" className="sr-only">
        {copied === 'yes' ? text.copied : copied === 'no' ? text.notCopied : ''}
      </span>
    </>
  );
}
