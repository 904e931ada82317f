// The outlines of the line icons on a 16 px grid.
export const iconPaths = {
  close: 'm4.25 4.25 7.5 7.5M11.75 4.25l-7.5 7.5',
  dots: 'M3 8a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M7.5 8a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M12 8a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0',
  info: 'M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 0 1 0-11.5M8 7.25v3.5M8 5.2v.05',
  leave: 'M9.5 2.75H4.25a1 1 0 0 0-1 1v8.5a1 1 0 0 0 1 1H9.5M6.75 8h6.5M10.75 5.5 13.25 8l-2.5 2.5',
  pulse: 'M1.5 8.5h3l1.5-4 3 7.5 2-5 1 1.5h2.5',
  sunrise: 'M4.25 11.5a3.75 3.75 0 0 1 7.5 0M1.5 11.5h13M8 3.5v2M3.4 5.9l1.3 1.3M12.6 5.9l-1.3 1.3',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.05',
} as const;

export type IconName = keyof typeof iconPaths;
