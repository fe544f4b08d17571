/** The words of drawn HTML, without what only machines read. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<(script|style|svg)\b.*?<\/\1>/gs, '')
    .replaceAll(/<\/?(?:div|p|li|td|th|tr|h\d|small|section)\b[^>]*>/g, ' ')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(amp|lt|gt|quot);/g, (_all, name: string) => {
      return { amp: '&', lt: '<', gt: '>', quot: '"' }[name]!;
    })
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The words of each row of a table by the names of its columns; none where the table is missing. */
export function readRows(html: string, caption: string): Record<string, string>[] {
  const table = [...html.matchAll(/<table.*?<\/table>/gs)]
    .map(([one]) => one)
    .find((one) => textOf(/<caption.*?<\/caption>/s.exec(one)![0]) === caption);
  const [names = [], ...rows] = [...(table ?? '').matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd]\b.*?<\/t[hd]>/gs)].map(([cell]) => textOf(cell)),
  );
  return rows.map((cells) =>
    Object.fromEntries(cells.map((cell, i) => [names[i]!, cell] as const)),
  );
}
