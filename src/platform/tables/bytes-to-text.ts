import { Refused } from '../problems/refused.js';

/** What to do with a file of another kind. */
export const HOW_TO_SAVE = 'Save it as "Excel Workbook (.xlsx)" or "CSV UTF-8", and send that.';

/** Files that are no table of text, by their first bytes. */
const others: readonly (readonly [start: RegExp, sentence: string])[] = [
  [/^%PDF/, `This is a PDF. Open the spreadsheet that it was made from. ${HOW_TO_SAVE}`],
  [/^\{\\rtf/, `This is a text document (.rtf). Copy its table into a spreadsheet. ${HOW_TO_SAVE}`],
  [
    /^\s*<(?:!doctype|html|table|\?xml)/i,
    `This is a web page or XML. Open it in Excel. ${HOW_TO_SAVE}`,
  ],
];

/** Of .xls and of a workbook with a password. */
const isCompoundFile = (start: string) => start.startsWith('\xd0\xcf\x11\xe0');

/** The first bytes of .xlsx; also of any other zip. */
export const isZip = (bytes: Uint8Array) =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] ?? 0) < 9 && (bytes[3] ?? 0) < 9;

/** @throws {Refused} for a file that is neither a text nor a zip */
export function refuseOtherKinds(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
  if (isCompoundFile(start)) {
    const hasPassword = Buffer.from(bytes).includes('EncryptedPackage', 0, 'utf16le');
    throw new Refused(
      hasPassword
        ? 'This workbook has a password. Remove it (File, Info, Protect Workbook, Encrypt with Password), save the workbook, and send it again.'
        : `This is an old workbook (.xls). ${HOW_TO_SAVE}`,
    );
  }
  if (start.startsWith('\x1f\x8b')) {
    throw new Refused('This file is compressed (.gz). Unpack it, and send what is in it.');
  }
  const other = others.find(([pattern]) => pattern.test(start.replace(/^\xef\xbb\xbf/, '')));
  if (other) throw new Refused(other[1]);
}

/**
 * The text of a file that arrives in chunks: UTF-8, UTF-16 in either order, also without a byte order mark, or
 * Windows-1252, as old programs write it. The mark is left out.
 */
export class BytesToText {
  private decoder: TextDecoder | undefined;
  /** Of UTF-8: the last character, which may be cut. */
  private rest: Uint8Array = new Uint8Array();
  private isAscii = true;

  /** @throws {Refused} if the bytes are no text, or one of mixed encodings */
  push(bytes: Uint8Array): string {
    if (bytes.length === 0) return '';
    if (!this.decoder) {
      refuseOtherKinds(bytes);
      if (isZip(bytes)) throw new Refused(`This is a workbook or a zip file. ${HOW_TO_SAVE}`);
      const encoding = encodingOf(bytes);
      this.decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8' });
    }
    if (this.decoder.encoding !== 'utf-8') return this.decoder.decode(bytes, { stream: true });
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const end = endOfCharacters(all);
    this.rest = all.subarray(end);
    return this.fromUtf8(all, end);
  }

  /** The end of the text. @throws {Refused} */
  end(): string {
    if (this.decoder?.encoding !== 'utf-8') return this.decoder?.decode() ?? '';
    return this.fromUtf8(this.rest, this.rest.length);
  }

  /** The first byte that is not UTF-8 decides that the text is Windows-1252, if all before was ASCII. */
  private fromUtf8(bytes: Uint8Array, end: number): string {
    try {
      const text = this.decoder!.decode(bytes.subarray(0, end));
      this.isAscii &&= text.length === end;
      return text;
    } catch {
      this.decoder = new TextDecoder('windows-1252');
      if (this.isAscii && !isMostlyUtf8(bytes)) return this.decoder.decode(bytes, { stream: true });
      throw new Refused(`The text is partly UTF-8 and partly another encoding. ${HOW_TO_SAVE}`);
    }
  }
}

/** Whether more characters are UTF-8 than not, beside ASCII: a few of Windows-1252 look like it. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const others = new TextDecoder().decode(bytes).match(/\P{ASCII}/gu) ?? [];
  const invalid = others.filter((character) => character === '\ufffd').length;
  return others.length > 2 * invalid;
}

/** Where the last character of UTF-8 begins, if it has several bytes; otherwise the length. */
function endOfCharacters(bytes: Uint8Array): number {
  const from = Math.max(0, bytes.length - 4);
  const at = bytes.subarray(from).findLastIndex((byte) => byte < 0x80 || byte >= 0xc0);
  return at >= 0 && bytes[from + at]! >= 0xc0 ? from + at : bytes.length;
}

/** Of a text: a byte order mark decides, or where the zero bytes of ASCII characters are. */
function encodingOf([first, second, third, fourth]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'utf-16be';
  return 'utf-8';
}

/** The text of a whole file: see `BytesToText`. @throws {Refused} */
export function textOf(bytes: Uint8Array): string {
  const text = new BytesToText();
  return text.push(bytes) + text.end();
}
