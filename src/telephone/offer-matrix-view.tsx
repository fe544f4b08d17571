import type { ComponentChildren, VNode } from 'preact';
import { bandwidthInWords, type Offer } from '../catalogue/content/offer-fields.js';
import { allOnLine, inWords, labelledFields } from '../catalogue/content/offers.js';
import type { Track } from '../catalogue/track/track.js';
import { priceInWords } from '../platform/kernel/money.js';
import { lowerFirst } from '../platform/kernel/text.js';
import { Section, Table, type TableColumn } from '../platform/ui/table.js';
import { matricesOf, type OfferMatrix, plannedChange } from './offer-matrix.js';
import { counted } from '../platform/kernel/counts.js';

interface OfferMatricesProps {
  readonly offers: readonly Offer[];
  /** `at EC2A 2BS`, for the captions. */
  readonly place: string;
  readonly now: Date;
  /** Draws what orders the product, around the words of its cell. */
  readonly action?: false | null | ((productCode: string, words: VNode) => VNode);
  /** What happened to orders of these products; left out where staff do not see it. */
  readonly trackOf?: ((offer: Offer) => Track | null) | null;
  /** What else a price says, on a separate line; false for nothing. */
  readonly more?: (offer: Offer) => ComponentChildren;
}

/** A table of prices by bandwidth and term for each product family. */
export function OfferMatrices({ offers, ...props }: OfferMatricesProps) {
  return (
    <div class="matrices">
      {matricesOf(offers).map((matrix) => (
        <Matrix matrix={matrix} {...props} />
      ))}
    </div>
  );
}

function Matrix(props: Omit<OfferMatricesProps, 'offers'> & { matrix: OfferMatrix }) {
  const { matrix, place, now, action, more, trackOf } = props;
  const { family, terms, rows, shared, ofRows, ofCells } = matrix;
  const [first] = rows[0]!.offers;
  return (
    <Section id={`family-${family.code}`} title={family.name}>
      {shared.length > 0 && <p class="hint">{`All prices: ${allOnLine([...shared], first!)}.`}</p>}
      <TrackWords track={first && trackOf?.(first)} currency={first?.currency ?? ''} />
      <Table
        class="matrix"
        bare
        caption={`${family.name} ${place}: price a month by bandwidth and term`}
        rows={rows}
        columns={[
          {
            name: ['Bandwidth', ...ofRows.map(({ label }) => lowerFirst(label))].join(', '),
            of: ({ offers: [offer] }) => <Line of={offer!} with={ofRows} />,
            heads: true,
          },
          ...terms.map((term, i): TableColumn<OfferMatrix['rows'][number]> => ({
            name: termWords(term),
            of: ({ cells }) =>
              cells[i]!.map((offer) => {
                const words = (
                  <Cell
                    offer={offer}
                    now={now}
                    more={more}
                    fields={ofCells}
                    isOneOfMany={cells[i]!.length > 1}
                  />
                );
                return action ? action(offer.productCode, words) : <div class="offer">{words}</div>;
              }),
          })),
        ]}
      />
    </Section>
  );
}

/** What was promised is with the prices; this is what happened. */
function TrackWords({ track, currency }: { track?: Track | null; currency: string }) {
  if (!track) return null;
  const { orders, leadTimeDays, chargedPercent, medianCharge } = track;
  const usual = medianCharge === null ? '' : `, usually ${priceInWords(medianCharge, currency)}`;
  return (
    <p class="hint">
      {`Of ${orders} services that went live here in a year, half took up to ${leadTimeDays.median} days and 80 % up to ${leadTimeDays.p80}; ${chargedPercent} % had extra charges${usual}.`}
    </p>
  );
}

function Line({ of: offer, with: fields }: { of: Offer; with: OfferMatrix['ofRows'] }) {
  const { bandwidthProvisioned, bandwidthCapacity } = offer;
  const more = [
    ...(bandwidthCapacity === bandwidthProvisioned
      ? []
      : [`on ${bandwidthInWords(bandwidthCapacity)}`]),
    ...(fields.length > 0 ? [allOnLine([...fields], offer)] : []),
  ];
  return (
    <>
      {bandwidthInWords(bandwidthProvisioned)}
      {more.length > 0 && <small>{` ${more.join(', ')}`}</small>}
    </>
  );
}

const [priceField] = labelledFields().filter(({ name }) => name === 'price');

interface CellProps extends Pick<OfferMatricesProps, 'now' | 'more'> {
  readonly offer: Offer;
  /** Those that differ from cell to cell. */
  readonly fields: OfferMatrix['ofCells'];
  readonly isOneOfMany: boolean;
}

/** The term is shown where the columns have no room, and read out with the name of the product. */
function Cell({ offer, now, fields, isOneOfMany, more }: CellProps) {
  const lines = more?.(offer);
  const change = plannedChange(offer, now);
  return (
    <>
      <span class="term">{termWords(offer.term)}</span>{' '}
      <strong>{inWords(priceField!, offer)}</strong>
      {change !== null && <small>{` ${change}`}</small>}
      <span class="unseen">{` ${offer.name}`}</span>
      {fields.map((field) => (
        <small> {allOnLine([field], offer)}</small>
      ))}
      {isOneOfMany && <small> {offer.productCode}</small>}
      {lines !== undefined && lines !== false && <small> {lines}</small>}
    </>
  );
}

function termWords(term: number): string {
  return counted(term, 'month');
}
