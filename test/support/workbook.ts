import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A cell: a text, a number, or XML of its own. */
type BuiltCell = string | number | { readonly xml: string };

export interface BuiltWorkbook {
  /** By the names of their sheets. */
  readonly sheets: Readonly<Record<string, readonly (readonly BuiltCell[])[]>>;
  /** Further parts, or others in place of those that are built. */
  readonly parts?: Readonly<Record<string, string | Buffer>>;
  /** In `workbook.xml`, in front of the sheets. */
  readonly settings?: string;
  /** After the rows of each sheet. */
  readonly after?: string;
  /** Names of sheets that are hidden. */
  readonly hidden?: readonly string[];
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const letter = (at: number) => String.fromCharCode(65 + at);

function cellXml(cell: BuiltCell, reference: string): string {
  if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${reference}"`);
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (cell === '') return '';
  return `<c r="${reference}" t="inlineStr"><is><t>${escape(cell)}</t></is></c>`;
}

/** Styles of cells: 0 plain, 1 a day, 2 `dd/mm/yyyy`, 3 `0.00`. */
const STYLES =
  '<styleSheet><numFmts count="1"><numFmt numFmtId="164" formatCode="dd/mm/yyyy;@"/></numFmts>' +
  '<cellStyleXfs><xf numFmtId="0"/></cellStyleXfs>' +
  '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="2"/></cellXfs></styleSheet>';

/** A zip with these files. */
export function zipOf(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

/** A workbook (.xlsx) as Excel writes it, with as few parts as it can have. */
export function workbookOf(built: BuiltWorkbook): Promise<Buffer> {
  const { sheets, parts = {}, settings = '', after = '', hidden = [] } = built;
  const names = Object.keys(sheets);
  const entries = names.map((name, i) => {
    const state = hidden.includes(name) ? ' state="hidden"' : '';
    return `<sheet name="${escape(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"${state}/>`;
  });
  const targets = names.map((_name, i) => {
    return `<Relationship Id="rId${i + 1}" Type="worksheet" Target="worksheets/sheet${i + 1}.xml"/>`;
  });
  const tables = Object.values(sheets).map((rows, i): [string, string] => {
    const lines = rows.map((cells, row) => {
      const inRow = cells.map((cell, at) => cellXml(cell, `${letter(at)}${row + 1}`));
      return `<row r="${row + 1}">${inRow.join('')}</row>`;
    });
    const data = `<worksheet><sheetData>${lines.join('')}</sheetData>${after}</worksheet>`;
    return [`xl/worksheets/sheet${i + 1}.xml`, data];
  });
  return zipOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="r">${settings}<sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets.join('')}</Relationships>`,
    'xl/styles.xml': STYLES,
    ...Object.fromEntries(tables),
    ...parts,
  });
}
