import { useMemo } from 'react';
import { encode } from 'uqr';

/** White modules around a code, from ISO/IEC 18004, section 6.3.8. */
const QUIET_ZONE = 4;

/** A text as a QR code, black on white in every theme: many readers accept nothing else. */
export function QrCode({ value, label, size = 200 }: { value: string; label: string; size?: number }) {
  const { modules, path } = useMemo(() => {
    const { data, size: side } = encode(value, { ecc: 'M', border: QUIET_ZONE });
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { modules: side, path: squares.join('') };
  }, [value]);
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${modules} ${modules}`}
      shapeRendering="crispEdges"
      className="qr-code"
    >
      <rect width={modules} height={modules} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
