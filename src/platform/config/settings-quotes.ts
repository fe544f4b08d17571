import { oneOf, setting, wholeNumber } from './setting.js';

export const quoteSettings = {
  quoteDays: setting('QUOTE_DAYS', wholeNumber(1, 90, 'days'), {
    default: '30',
    meaning: 'How long the lines of a quote can be ordered.',
  }),
  quoteHold: setting('QUOTE_HOLD', oneOf('all', 'firm', 'none'), {
    default: 'all',
    meaning:
      'Which lines of a quote can be ordered at its terms, whatever is published meanwhile: `all`, only those with a `firm` price, or `none`. An order of another line is refused if its terms have changed.',
  }),
  volumeCounts: setting('VOLUME_COUNTS', oneOf('quote', 'order'), {
    default: 'quote',
    meaning:
      'Which places a discount of `volume.csv` counts: those of the whole `quote`, so that a line keeps it however few are ordered, or only those of one `order`: a line is then ordered together with as many places as its discount needs.',
  }),
};
