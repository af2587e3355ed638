/** The bench's icons, 16 × 16, stroked in the text's colour. */
const PATHS = {
  // States: each has its own shape, because colour must not be the only difference.
  idle: 'M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5',
  queued: 'M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5M8 5v3.2l2.2 1.4',
  building: 'M8 2.75a5.25 5.25 0 1 0 5.25 5.25',
  programming:
    'M5 7.5h6v6H5zM2.75 9.25H5M2.75 11.75H5M11 9.25h2.25M11 11.75h2.25M8 1.5v4M6.25 4L8 5.75L9.75 4',
  reserved: 'M3 3h10v10H3zM5.5 8.1l1.8 1.8l3.2-3.6',
  error: 'M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5zM6 6l4 4M10 6l-4 4',
  cancelled: 'M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5M4.4 4.4l7.2 7.2',
  complete: 'M3 8.5l3.2 3.25L13 4.75',
  warning: 'M8 2.25l6.2 11.25H1.8zM8 6.5v3.25M8 11.6v.4',
  info: 'M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5M8 7.25v3.5M8 5.1v.3',
  // Screens and actions.
  bench: 'M2.5 3h11v3h-11zM2.5 6.5h11v3h-11zM2.5 10h11v3h-11zM4.5 4.5h.5M4.5 8h.5M4.5 11.5h.5',
  // Screens and views.
  audit: 'M8 2l5 1.75v3.75c0 3-2 5-5 6.5c-3-1.5-5-3.5-5-6.5V3.75zM5.75 7.75l1.6 1.6l2.9-3.1',
  builds: 'M9.5 2.5l4 4l-2 2l-1.25-1.25L4.5 13L3 11.5l5.75-5.75L7.5 4.5z',
  code: 'M5.5 4L1.75 8l3.75 4M10.5 4l3.75 4l-3.75 4',
  log: 'M3 2.5h10v11H3zM5.25 5.25h5.5M5.25 8h5.5M5.25 10.75h3',
  registers: 'M2 4h12v3H2zM2 9h12v3H2zM6 4v3M10 4v3M6 9v3M10 9v3',
  panel: 'M2.5 3h11v10h-11zM5.5 6h.3M8 6h.3M10.5 6h.3M5.5 9v1.5M8 9v1.5M10.5 9v1.5',
  signals: 'M1.5 11h2.5V5h3.5v6H11V5h3.5',
  report: 'M2.5 13.5h11M4.5 13.5v-5M8 13.5v-10M11.5 13.5V6.5',
  floorplan: 'M2.5 2.5h11v11h-11zM2.5 6h11M6 6v7.5M6 9.75h7.5',
  history: 'M3 8a5 5 0 1 0 1.5-3.6L3 6M3 3v3h3M8 5.25V8l2 1.25',
  // Actions.
  power: 'M8 2v5.5M4.75 4.25a5 5 0 1 0 6.5 0',
  stop: 'M4 4h8v8H4z',
  record: 'M8 3.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M8 6.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3',
  edit: 'M3 13l.6-2.9L10.5 3.2l2.3 2.3l-6.9 6.9zM9 4.7l2.3 2.3',
  fit: 'M2.5 3v10M13.5 3v10M5 8h6M6.75 6.25L5 8l1.75 1.75M9.25 6.25L11 8L9.25 9.75',
  compare: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9zM9 6.5h4.5M2.5 9.5H7',
  fold: 'M2.5 3h11v10h-11zM6 3v10M11 6l-2 2l2 2',
  unfold: 'M2.5 3h11v10h-11zM6 3v10M9 6l2 2l-2 2',
  wall: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  jobs: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.5M2.5 8h.5M2.5 12h.5',
  boards:
    'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3',
  search: 'M7 2.75a4.25 4.25 0 1 0 0 8.5a4.25 4.25 0 1 0 0-8.5M10.2 10.2l3.3 3.3',
  zoomIn: 'M7 2.75a4.25 4.25 0 1 0 0 8.5a4.25 4.25 0 1 0 0-8.5M10.2 10.2l3.3 3.3M5.2 7h3.6M7 5.2v3.6',
  zoomOut: 'M7 2.75a4.25 4.25 0 1 0 0 8.5a4.25 4.25 0 1 0 0-8.5M10.2 10.2l3.3 3.3M5.2 7h3.6',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7.5v7.5H5.5zM3 10.5V3h7.5',
  download: 'M8 2.5v7.5M5 7.25L8 10.25l3-3M3 13.25h10',
  upload: 'M8 13.5V6M5 8.75L8 5.75l3 3M3 2.75h10',
  up: 'M4 10l4-4l4 4',
  down: 'M4 6l4 4l4-4',
  right: 'M6 4l4 4l-4 4',
  left: 'M10 4L6 8l4 4',
  plus: 'M8 3v10M3 8h10',
  more: 'M3.5 8h.3M7.85 8h.3M12.2 8h.3',
  pin: 'M8 9.75V14M5 2.5h6M6 2.5v4l-2 3.25h8L10 6.5v-4',
  trash: 'M3 4.5h10M6 4.5V2.75h4V4.5M4.25 4.5l.6 8.75h6.3l.6-8.75',
  play: 'M4.5 3l8 5l-8 5z',
  pause: 'M5 3v10M11 3v10',
  repeat: 'M3 8a5 5 0 0 1 8.7-3.4L13 6M13 3v3h-3M13 8a5 5 0 0 1-8.7 3.4L3 10M3 13v-3h3',
  plot: 'M2.5 2.5v11h11M4.5 10.5l2.5-4l2.5 2l3.5-5',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.3M6.7 6.5h.3M9.3 6.5h.3M12 6.5h.3M4.5 9.5h7',
  courses: 'M8 3l6.5 3L8 9L1.5 6zM4 7.4v3.4c1 1 2.4 1.5 4 1.5s3-.5 4-1.5V7.4M14.5 6v4.5',
  hand: 'M5 8.5V4.25a1 1 0 0 1 2 0V7.5V3a1 1 0 0 1 2 0v4.5V3.75a1 1 0 0 1 2 0V8V5.5a1 1 0 0 1 2 0V10c0 2.5-1.5 4-4 4c-2.2 0-3.2-1-4.2-2.6L3 8.7a1 1 0 0 1 1.6-1z',
  user: 'M8 2.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M3 13.5c.5-3 2.5-4.25 5-4.25s4.5 1.25 5 4.25',
  network:
    'M8 2.75a5.25 5.25 0 1 0 0 10.5a5.25 5.25 0 1 0 0-10.5M2.75 8h10.5M8 2.75c-3 3-3 7.5 0 10.5M8 2.75c3 3 3 7.5 0 10.5',
  link: 'M6.75 9.25l2.5-2.5M7.5 4.5l1.25-1.25a2.65 2.65 0 0 1 3.75 3.75L11.25 8.25M8.5 11.5l-1.25 1.25a2.65 2.65 0 0 1-3.75-3.75L4.75 7.75',
  move: 'M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01',
  store:
    'M3 4c0-1.2 2.2-2 5-2s5 .8 5 2s-2.2 2-5 2s-5-.8-5-2M3 4v8c0 1.2 2.2 2 5 2s5-.8 5-2V4M3 8c0 1.2 2.2 2 5 2s5-.8 5-2',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3L7.5 8.5',
  unplugged: 'M6 2v3M10 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14M2 2l12 12',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.25H3zM6.75 14h2.5M8 2v1',
  eye: 'M1.5 8c1.5-2.7 3.7-4 6.5-4s5 1.3 6.5 4c-1.5 2.7-3.7 4-6.5 4s-5-1.3-6.5-4M8 6.25a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 1 0 0-3.5',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon. It is hidden from screen readers: the text next to it or its control has the name. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className={`icon icon-${name}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
