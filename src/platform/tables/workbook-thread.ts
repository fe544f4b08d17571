import { parentPort } from 'node:worker_threads';
import { Refused } from '../problems/refused.js';
import { readWorkbook, type Workbook, type WorkbookChoice } from './workbook.js';

export interface WorkbookRequest {
  readonly bytes: Uint8Array;
  readonly choice: WorkbookChoice;
}

export type WorkbookReply =
  | { readonly workbook: Workbook }
  | { readonly refused: string; readonly field: string | undefined };

async function answer({ bytes, choice }: WorkbookRequest): Promise<WorkbookReply> {
  try {
    return { workbook: await readWorkbook(Buffer.from(bytes), choice) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refused: error.message, field: error.field };
  }
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (request: WorkbookRequest) => {
  // In the order of the requests.
  last = last.then(async () => parentPort?.postMessage(await answer(request)));
});
