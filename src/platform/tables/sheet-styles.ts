import type { Readable } from 'node:stream';
import { readXml } from './sheet-xml.js';

/** Formats of days and times that have no code in the file (ECMA-376, 18.8.30). */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58);

/** Whether a format shows a day or a time: `dd/mm/yyyy`, not `0.00" days"`. */
export const isDateFormat = (code: string) =>
  /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|general/gi, ''));

/** Whether numbers of each style of cells are days. */
export async function readStyles(stream: Readable): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let isOfCells = false;
  await readXml(stream, {
    onOpen(name, { numFmtId, formatCode = '' }) {
      const id = Number(numFmtId);
      if (name === 'numFmt') codes.set(id, formatCode);
      if (name === 'cellXfs') isOfCells = true;
      if (name !== 'xf' || !isOfCells) return;
      const code = codes.get(id);
      styles.push(code === undefined ? isBuiltInDate(id) : isDateFormat(code));
    },
    onClose(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return styles;
}
