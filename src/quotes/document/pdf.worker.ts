import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import pdfmake from 'pdfmake';
import { documentOf } from './documents.js';
import { receivedDocument, type SentDocument } from './sent-document.js';

/** The document, or why it could not be drawn. */
export type DocumentResponse = Uint8Array | Error;

const fonts = join(
  dirname(createRequire(import.meta.url).resolve('pdfmake/package.json')),
  'fonts/Roboto',
);
const font = {
  normal: join(fonts, 'Roboto-Regular.ttf'),
  bold: join(fonts, 'Roboto-Medium.ttf'),
};
pdfmake.setFonts({ Roboto: font });
// A document names no picture: only the fonts are read.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => Object.values(font).includes(path));

/** Drawn in the order of the requests: the answers have no number. */
let last: Promise<void> = Promise.resolve();

parentPort!.on('message', (sent: SentDocument) => {
  last = last.then(async () => {
    const drawn = await draw(sent).catch((error: unknown) => error as Error);
    parentPort!.postMessage(drawn);
  });
});

async function draw(sent: SentDocument): Promise<Uint8Array> {
  return pdfmake.createPdf(documentOf(receivedDocument(sent))).getBuffer();
}
