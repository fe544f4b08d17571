import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { AnsweringThread } from '../../platform/kernel/answering-thread.js';
import { Unavailable } from '../../platform/problems/problem.js';
import type { QuoteView } from '../record/quotes.dto.js';
import type { DocumentRequest } from './documents.js';
import type { DocumentResponse } from './pdf.worker.js';
import type { Proposal } from './proposal.js';

/** Of headings, where the operator has set no colour. */
const COLOUR = '#1f4fd8';

/** Documents that wait for the thread, with the one that it draws. */
const MOST_WAITING = 16;

/** Draws quotes and proposals as PDF, in a thread: 500 lines take a quarter of a second. */
@Injectable()
export class DocumentsService implements OnModuleDestroy {
  private readonly thread = new AnsweringThread<DocumentRequest, DocumentResponse>(
    new URL('./pdf.worker.js', import.meta.url),
    { resourceLimits: { maxYoungGenerationSizeMb: 16 } },
  );

  constructor(private readonly config: Config) {}

  onModuleDestroy(): Promise<void> {
    return this.thread.end();
  }

  /** @param quote with all its lines @param client the name of its client */
  quote(quote: QuoteView, client: string): Promise<Buffer> {
    const { brandName: name, brandColour } = this.config;
    return this.draw({ quote, client, brand: { name, colour: brandColour?.light ?? COLOUR } });
  }

  proposal(proposal: Proposal): Promise<Buffer> {
    return this.draw({ proposal });
  }

  /** @throws {Unavailable} where too many documents wait: each holds its quote in memory */
  private async draw(request: DocumentRequest): Promise<Buffer> {
    if (this.thread.waiting >= MOST_WAITING) {
      throw new Unavailable('Too many documents are drawn at the moment.', undefined, 2);
    }
    const drawn = await this.thread.ask(request);
    if (drawn instanceof Error) throw drawn;
    return Buffer.from(drawn);
  }
}
