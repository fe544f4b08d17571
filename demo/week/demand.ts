/**
 * Where the demo's postcode checks come from: how much is asked for in each postcode area, and
 * which of its districts exist. The operator sells in London only, so that what is asked for
 * elsewhere is demand that it loses.
 */
import { Chance } from './random.js';

const INWARD_LETTERS = 'ABDEFGHJLNPQRSTUWXYZ';

interface Demand {
  readonly area: string;
  readonly weight: number;
  readonly districts: readonly [first: number, last: number];
}

/** Area, weight, first and last district. Districts of `EC` and `WC` are lettered: see `outward`. */
const demands: readonly Demand[] = (
  'EC 130 1-4;WC 60 1-2;E 90 1-18;SE 70 1-28;N 60 1-22;SW 70 1-20;W 75 2-14;NW 45 1-11;' +
  'CR 22 0-9;HA 14 0-9;TW 16 1-20;UB 18 1-11;EN 12 1-11;IG 10 1-11;RM 11 1-20;BR 9 1-8;DA 9 1-18;' +
  'KT 14 1-24;SM 7 1-7;WD 13 3-7;M 58 1-9;B 52 1-38;LS 34 1-29;BS 30 1-16;G 30 1-5;EH 26 1-17;' +
  'L 22 1-9;S 19 1-14;NE 16 1-8;NG 17 1-17;CF 18 10-24;LE 14 1-5;CB 21 1-5;OX 19 1-4;RG 24 1-10;' +
  'MK 18 1-15;GU 15 1-9;SL 14 1-9;BN 15 1-3;SO 11 14-19;PO 9 1-9;CV 12 1-8;ST 8 1-8;DE 8 1-7;' +
  'WV 7 1-6;WS 5 1-8;DY 5 1-9;HD 6 1-8;BD 8 1-9;HX 3 1-4;HG 4 1-3;YO 8 1-10;HU 7 1-9;DN 6 1-7;' +
  'WF 6 1-9;SK 9 1-8;WA 10 1-9;WN 4 1-7;BL 5 1-7;OL 5 1-9;CH 6 1-5;PR 6 1-5;BB 4 1-5;FY 3 1-5;' +
  'LA 3 1-5;CA 3 1-5;CW 4 1-5;DH 3 1-3;SR 4 1-5;TS 5 1-8;DL 3 1-3;LN 3 1-6;PE 8 1-7;NN 9 1-6;' +
  'LU 9 1-5;SG 9 1-7;AL 9 1-5;HP 11 1-6;CM 9 1-3;CO 6 1-4;SS 7 1-5;CT 6 1-5;ME 8 1-7;TN 8 1-4;' +
  'RH 9 1-6;BH 8 1-9;SP 4 1-5;SN 8 1-5;BA 6 1-3;GL 7 1-4;WR 4 1-5;HR 2 1-4;SY 2 1-4;TF 3 1-5;' +
  'LD 1 1-3;NP 5 10-20;SA 5 1-7;LL 3 11-19;EX 6 1-4;PL 5 1-7;TQ 3 1-5;TR 3 1-4;TA 3 1-4;DT 2 1-4;' +
  'NR 8 1-7;IP 7 1-5;AB 9 10-16;DD 4 1-5;KY 3 1-7;FK 3 1-4;PH 2 1-3;PA 3 1-4;ML 3 1-6;KA 2 1-3;' +
  'DG 1 1-2;TD 1 1-3;IV 2 1-3;KW 1 1-3;BT 14 1-9'
)
  .split(';')
  .map((text) => {
    const [area = '', weight, districts = ''] = text.split(' ');
    const [first, last] = districts.split('-').map(Number) as [number, number];
    return { area, weight: Number(weight), districts: [first, last] };
  });

/** Some postcode of the country, in canonical form. That it exists is likely, not sure. */
export function somePostcode(chance: Chance): string {
  const { area, districts } = chance.weighted(demands);
  const inward = `${chance.whole(1, 9)}${chance.text(INWARD_LETTERS, 2)}`;
  return `${area}${chance.whole(...districts)}${suffix(area, chance)} ${inward}`;
}

/** The districts of the City and of Holborn are all divided. */
function suffix(area: string, chance: Chance): string {
  if (area === 'EC') return chance.one(['A', 'M', 'N', 'R', 'V', 'Y']);
  return area === 'WC' ? chance.one(['A', 'B', 'E', 'H', 'N', 'R', 'X']) : '';
}
