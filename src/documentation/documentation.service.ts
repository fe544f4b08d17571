import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { inTurns } from '../kernel/turns.js';
import { DocumentationPages } from './documentation-pages.js';
import { LONGEST_QUERY, SearchIndex } from './search.js';
import type { StaticPage } from './static-page.js';

/** Reads the documentation when a page is first requested: a command never needs it. */
@Injectable()
export class DocumentationService {
  private read: DocumentationPages | undefined;
  private index: Promise<SearchIndex> | undefined;

  constructor(private readonly config: Config) {}

  /** The page at the address; undefined where there is none. */
  find(address: string): StaticPage | undefined {
    return this.pages.find(address);
  }

  /** The page of search results. */
  async search(query: string): Promise<StaticPage> {
    this.index ??= this.makeIndex();
    const text = query.slice(0, LONGEST_QUERY).trim();
    const results = text === '' ? '' : (await this.index).results(text);
    return this.pages.found(text, results);
  }

  private get pages(): DocumentationPages {
    return (this.read ??= new DocumentationPages(this.config));
  }

  /** Pauses after each page, because to make one takes milliseconds. */
  private async makeIndex(): Promise<SearchIndex> {
    const index = new SearchIndex();
    for await (const { href } of inTurns(this.pages.links().flatMap(({ links }) => links))) {
      index.add(href, this.find(href)?.text ?? '');
    }
    return index;
  }
}
