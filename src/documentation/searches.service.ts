import { Injectable } from '@nestjs/common';
import { Unavailable } from '../platform/problems/problem.js';
import { DocumentationService } from './documentation.service.js';
import { LONGEST_QUERY } from './search.js';
import type { StaticPage } from '../platform/openapi/static-page.js';

/** Searches that run or wait. */
const MOST_SEARCHES = 10;
/** Pages of results that are kept. */
const MOST_KEPT = 200;

/** Bounds the searches, of which the thread runs one at a time, and keeps their results. */
@Injectable()
export class SearchesService {
  private running = 0;
  /** By query; what was used last is at the end. */
  private readonly kept = new Map<string, Promise<StaticPage>>();

  constructor(private readonly documentation: DocumentationService) {}

  /**
   * The page of search results.
   * @throws {Unavailable} where too many searches wait
   */
  async find(query: string): Promise<StaticPage> {
    const text = query.slice(0, LONGEST_QUERY).replaceAll(/\s+/g, ' ').trim();
    const page = this.kept.get(text) ?? this.search(text);
    this.kept.delete(text);
    this.kept.set(text, page);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
    try {
      return await page;
    } catch (error) {
      if (this.kept.get(text) === page) this.kept.delete(text);
      throw error;
    }
  }

  private async search(text: string): Promise<StaticPage> {
    if (this.running >= MOST_SEARCHES) {
      throw new Unavailable('Too many searches are waiting at the moment.', undefined, 1);
    }
    this.running += 1;
    try {
      return await this.documentation.search(text);
    } finally {
      this.running -= 1;
    }
  }
}
