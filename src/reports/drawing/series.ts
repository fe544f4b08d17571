/** Classes of the style sheet. */
export const seriesColours = ['s1', 's2', 's3', 's4', 's5', 'soon-bar', 'late-bar'] as const;
export type SeriesColour = (typeof seriesColours)[number];

export interface ChartSeries {
  readonly series: SeriesColour;
  readonly name: string;
}
