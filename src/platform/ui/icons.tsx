/** Paths of lines on a grid of 16 × 16. */
const lines = {
  alert: 'M8 2.25 14.5 13.25h-13zM8 6.25V9.5M8 11.4v.01',
  archive: 'M1.75 2.75h12.5v3H1.75zM3 5.75v7.5h10v-7.5M6.5 8.5h3',
  arrow: 'M2.5 8h11M9.5 4l4 4-4 4',
  bell: 'M3 11.25c1-1 1.25-2.25 1.25-4.5a3.75 3.75 0 0 1 7.5 0c0 2.25.25 3.5 1.25 4.5zM6.5 13.75c.75.7 2.25.7 3 0',
  box: 'M8 1.75 13.5 4.75v6.5L8 14.25l-5.5-3v-6.5zM2.5 4.75 8 7.75l5.5-3M8 7.75v6.5',
  building: 'M3 14V2.25h7V14M10 6.25h3V14M1.5 14h13M5.5 5h2M5.5 8h2M5.5 11h2',
  chart: 'M2.25 2v11.75H14M5.5 11V8.5M8.5 11V5M11.5 11V7',
  check: 'M2.75 8.5 6.25 12l7-7.5',
  clock: 'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5zM8 4.5V8l2.25 1.5',
  copy: 'M5.75 5.75h7.5v7.5h-7.5zM10.25 5.75v-3h-7.5v7.5h3',
  download: 'M8 2v8M4.75 6.75 8 10l3.25-3.25M2.25 11v2.75h11.5V11',
  edit: 'M2.5 13.5l.75-3 7.5-7.5L13 5.25l-7.5 7.5zM9.25 4.5l2.25 2.25',
  history: 'M2.25 3v3.25H5.5M2.6 6.25a5.75 5.75 0 1 1-.35 3.25M8 5v3.25l2 1.25',
  inbox:
    'M1.75 9 4 2.75h8L14.25 9v3.25a1 1 0 0 1-1 1H2.75a1 1 0 0 1-1-1zM1.75 9h3.5l1 2h3.5l1-2h3.5',
  list: 'M5.5 4H14M5.5 8H14M5.5 12H14M2 4h.01M2 8h.01M2 12h.01',
  mail: 'M1.75 3.25h12.5v9.5H1.75zM2 3.75l6 4.75 6-4.75',
  map: 'M1.75 3.75 6 2l4 2 4.25-1.75v10L10 14l-4-2-4.25 1.75zM6 2v10M10 4v10',
  menu: 'M2 4h12M2 8h12M2 12h12',
  phone:
    'M5.5 2.25H3.25a1 1 0 0 0-1 1.1 11.5 11.5 0 0 0 10.4 10.4 1 1 0 0 0 1.1-1V10.5l-3-1.25-1.5 1.5a9 9 0 0 1-4-4l1.5-1.5z',
  pin: 'M8 14.5c3-3.25 4.75-5.5 4.75-7.75a4.75 4.75 0 0 0-9.5 0C3.25 9 5 11.25 8 14.5zM8 8.25a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  search: 'M7 11.75a4.75 4.75 0 1 0 0-9.5 4.75 4.75 0 0 0 0 9.5zM10.5 10.5 14 14',
  undo: 'M5.5 3l-3 3 3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H7',
  user: 'M8 7.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.75 13.75C2.75 11.25 5 10 8 10s5.25 1.25 5.25 3.75',
  users:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.25 13.5C1.25 11.25 3.25 10 6 10s4.75 1.25 4.75 3.5M10.5 2.6a2.5 2.5 0 0 1 0 4.8M12.5 10.25c1.5.5 2.25 1.6 2.25 3.25',
  x: 'M4 4l8 8M12 4l-8 8',
} as const;

export type IconName = keyof typeof lines;

/** A line icon in the colour and size of the text. It only repeats a word, so screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={lines[name]} />
    </svg>
  );
}

/** The mark of the service, as in the icon of the tab. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" />
      <circle cx="16" cy="14" r="4" />
      <path d="M16 28c5-6 9-9.7 9-14a9 9 0 0 0-18 0c0 4.3 4 8 9 14z" />
    </svg>
  );
}
