import { posix } from 'node:path';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { whole } from '../kernel/counts.js';
import { Refused } from '../problems/refused.js';
import { HOW_TO_SAVE } from './bytes-to-text.js';
import { readXml, type SheetRow, readSheet, readStyles } from './sheet.js';

/** A sheet of a workbook (.xlsx), as it was last saved: formulas are not computed, macros are not run. */
export interface Workbook {
  /** The names of the sheets that are not hidden, in their order. */
  readonly sheets: readonly string[];
  /** The one that is read. */
  readonly sheet: string;
  /** Those that are not empty. */
  readonly rows: readonly SheetRow[];
}

export interface WorkbookBounds {
  /** Of the parts that are read, unpacked. */
  readonly mostBytes: number;
  /** Also those that are empty. */
  readonly mostRows: number;
}

export interface WorkbookChoice extends WorkbookBounds {
  /** The name of the sheet, in any case; the first one by default. */
  readonly sheet?: string | undefined;
}

const MOST_PARTS = 2_000;
const RELATIONS = 'xl/_rels/workbook.xml.rels';

/** Zips that are no workbook, by a part of them. */
const others: readonly (readonly [part: RegExp, sentence: string])[] = [
  [/^xl\/workbook\.bin$/, `This is a binary workbook (.xlsb). ${HOW_TO_SAVE}`],
  [
    /^Index\/.*\.iwa$|^Index\.zip$/,
    `This is a file of Numbers. In Numbers, use File, Export To, Excel.`,
  ],
  [
    /^word\/document\.xml$/,
    `This is a Word document. Copy its table into a spreadsheet. ${HOW_TO_SAVE}`,
  ],
  [/^content\.xml$/, `This is an OpenDocument spreadsheet (.ods). ${HOW_TO_SAVE}`],
  [
    /^xl\/externalLinks\//,
    'The workbook takes values from other files. Copy the cells, paste them as values into a new workbook, and send that.',
  ],
];

type Parts = ReadonlyMap<string, Entry>;

/** The parts of a workbook that can be read within the bounds. Nothing is unpacked. @throws {Refused} */
async function openParts(bytes: Buffer, { mostBytes }: WorkbookBounds): Promise<[ZipFile, Parts]> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  if (zip.entryCount > MOST_PARTS)
    throw new Refused(`The workbook has more than ${whole(MOST_PARTS)} parts. ${HOW_TO_SAVE}`);
  const parts = new Map<string, Entry>();
  let size = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName: name } = entry;
    const other = others.find(([part]) => part.test(name));
    if (other) throw new Refused(other[1]);
    if (entry.isEncrypted()) throw new Refused('The file has a password. Save it without one.');
    if (parts.has(name)) throw new Refused(`The workbook is damaged: it has two parts ${name}.`);
    parts.set(name, entry);
    // Pictures and charts are not read.
    if (/^xl\/(?:workbook|styles|sharedStrings|_rels\/workbook)\.xml/.test(name)) {
      size += entry.uncompressedSize;
    }
  }
  if (!parts.has('xl/workbook.xml'))
    throw new Refused(`This zip file is no workbook. ${HOW_TO_SAVE}`);
  if (size > mostBytes) throw tooLarge(mostBytes);
  return [zip, parts];
}

const tooLarge = (mostBytes: number) =>
  new Refused(
    `The workbook is too large: unpacked it has more than ${whole(Math.floor(mostBytes / 1_048_576))} MB. Copy the list alone into a new workbook, and send that.`,
  );

/**
 * Refuses what is no workbook, has a password, or is too large, without unpacking any of it.
 * @throws {Refused}
 */
export async function refuseWorkbook(bytes: Buffer, bounds: WorkbookBounds): Promise<void> {
  await refusing(() => openParts(bytes, bounds));
}

/**
 * Reads a sheet of a workbook in a few hundred milliseconds for a megabyte: in a thread, unless the caller is one.
 * @throws {Refused} with a sentence that says what to change
 */
export function readWorkbook(bytes: Buffer, choice: WorkbookChoice): Promise<Workbook> {
  return refusing(() => readIn(bytes, choice));
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused('The workbook is damaged. Open it in Excel, save it again, and send that.');
  }
}

async function readIn(bytes: Buffer, choice: WorkbookChoice): Promise<Workbook> {
  const [zip, parts] = await openParts(bytes, choice);
  const open = async (name: string) => zip.openReadStreamPromise(parts.get(name)!);
  const { sheets, is1904 } = await readContents(await open('xl/workbook.xml'));
  const wanted = choice.sheet?.trim().toLowerCase();
  const shown = sheets.filter(({ isHidden }) => !isHidden);
  const found = wanted
    ? sheets.find(({ name }) => name.toLowerCase() === wanted)
    : (shown[0] ?? sheets[0]);
  const names = shown.map(({ name }) => name);
  if (!found) {
    throw new Refused(
      `There is no sheet of this name. The sheets are ${names.join(', ')}.`,
      'sheet',
    );
  }
  const targets = new Map<string, string>();
  await readXml(await open(RELATIONS), {
    onOpen: (_name, { Id = '', Target = '' }) =>
      targets.set(
        Id,
        posix.join('/xl', Target.startsWith('/') ? posix.relative('/xl', Target) : Target).slice(1),
      ),
  });
  const part = parts.get(targets.get(found.id) ?? '');
  if (!part) throw new Refused(`The sheet ${found.name} is no table. Name another sheet.`, 'sheet');
  const texts: string[] = [];
  if (parts.has('xl/sharedStrings.xml')) await readTexts(await open('xl/sharedStrings.xml'), texts);
  const styles = parts.has('xl/styles.xml') ? await readStyles(await open('xl/styles.xml')) : [];
  if (part.uncompressedSize > choice.mostBytes) throw tooLarge(choice.mostBytes);
  const look = { texts, isDate: styles, is1904, mostRows: choice.mostRows, name: found.name };
  const rows = await readSheet(await zip.openReadStreamPromise(part), look);
  return { sheets: names, sheet: found.name, rows };
}

interface SheetEntry {
  readonly name: string;
  readonly id: string;
  readonly isHidden: boolean;
}

async function readContents(stream: Parameters<typeof readXml>[0]) {
  const sheets: SheetEntry[] = [];
  let is1904 = false;
  await readXml(stream, {
    onOpen(tag, { name = '', id = '', state, date1904 }) {
      if (tag === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true';
      if (tag === 'sheet')
        sheets.push({ name, id, isHidden: state !== undefined && state !== 'visible' });
    },
  });
  return { sheets, is1904 };
}

/** The texts that cells share, without the readings of East Asian characters. */
async function readTexts(stream: Parameters<typeof readXml>[0], texts: string[]): Promise<void> {
  let [text, isText, isReading] = ['', false, false];
  await readXml(stream, {
    onOpen(name) {
      if (name === 'si') text = '';
      if (name === 'rPh') isReading = true;
      isText = name === 't' && !isReading;
    },
    onText(part) {
      if (isText) text += part;
    },
    onClose(name) {
      if (name === 'rPh') isReading = false;
      if (name === 'si') texts.push(text);
      isText = false;
    },
  });
}
