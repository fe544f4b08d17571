import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePlace } from '../platform/kernel/postcode.js';

/** The town, county or part of London that each area is named after. */
const areaNames = `
  AB Aberdeen, AL St Albans, B Birmingham, BA Bath, BB Blackburn, BD Bradford, BH Bournemouth,
  BL Bolton, BN Brighton, BR Bromley, BS Bristol, BT Northern Ireland, CA Carlisle,
  CB Cambridge, CF Cardiff, CH Chester, CM Chelmsford, CO Colchester, CR Croydon, CT Canterbury,
  CV Coventry, CW Crewe, DA Dartford, DD Dundee, DE Derby, DG Dumfries, DH Durham,
  DL Darlington, DN Doncaster, DT Dorchester, DY Dudley, E London E, EC London EC, EH Edinburgh,
  EN Enfield, EX Exeter, FK Falkirk, FY Blackpool, G Glasgow, GL Gloucester, GU Guildford,
  GY Guernsey, HA Harrow, HD Huddersfield, HG Harrogate, HP Hemel Hempstead, HR Hereford,
  HS Outer Hebrides, HU Hull, HX Halifax, IG Ilford, IM Isle of Man, IP Ipswich, IV Inverness,
  JE Jersey, KA Kilmarnock, KT Kingston upon Thames, KW Kirkwall, KY Kirkcaldy, L Liverpool,
  LA Lancaster, LD Llandrindod Wells, LE Leicester, LL Llandudno, LN Lincoln, LS Leeds,
  LU Luton, M Manchester, ME Rochester, MK Milton Keynes, ML Motherwell, N London N,
  NE Newcastle upon Tyne, NG Nottingham, NN Northampton, NP Newport, NR Norwich, NW London NW,
  OL Oldham, OX Oxford, PA Paisley, PE Peterborough, PH Perth, PL Plymouth, PO Portsmouth,
  PR Preston, RG Reading, RH Redhill, RM Romford, S Sheffield, SA Swansea, SE London SE,
  SG Stevenage, SK Stockport, SL Slough, SM Sutton, SN Swindon, SO Southampton, SP Salisbury,
  SR Sunderland, SS Southend-on-Sea, ST Stoke-on-Trent, SW London SW, SY Shrewsbury, TA Taunton,
  TD Galashiels, TF Telford, TN Tonbridge, TQ Torquay, TR Truro, TS Teesside, TW Twickenham,
  UB Southall, W London W, WA Warrington, WC London WC, WD Watford, WF Wakefield, WN Wigan,
  WR Worcester, WS Walsall, WV Wolverhampton, YO York, ZE Shetland
`;
const names = new Map(
  Array.from(areaNames.matchAll(/([A-Z]+) ([^,\n]+)/g), ([, area, name]) => [area!, name!]),
);

export const areaCodes = [...names.keys()];

/** "Aberdeen" for AB; null for an area without a place: BF (armed forces), BX. */
export function nameOfArea(area: string): string | null {
  return names.get(area) ?? null;
}

/** "AB Aberdeen", but "London EC" for EC. */
export function areaWords(area: string): string {
  const name = nameOfArea(area);
  if (name === null) return area;
  return name.endsWith(` ${area}`) ? name : `${area} ${name}`;
}

/** The postcode sectors of Great Britain, by their keys in ascending order. Units of 100 m. */
export interface SectorPlaces {
  /** `EC2A 2` */
  readonly names: readonly string[];
  readonly keys: Uint32Array;
  readonly eastings: Uint16Array;
  readonly northings: Uint16Array;
  /** Postcodes in use. */
  readonly postcodes: Uint16Array;
}

let loaded: SectorPlaces | undefined;

/** Read when the first map is drawn: most instances never draw one. */
export function sectorPlaces(): SectorPlaces {
  return (loaded ??= parseSectors(readFileSync(join(import.meta.dirname, 'sectors.txt'), 'utf8')));
}

/** @param text lines such as `EC2A 1:5331,1821,98 2:…`, in any order */
export function parseSectors(text: string): SectorPlaces {
  const rows = text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [district = '', ...sectors] = line.split(' ');
      return sectors.map((sector) => {
        const [digit = '', values = ''] = sector.split(':');
        const place = parsePlace(`${district} ${digit}`);
        if (!('key' in place)) throw new Error(`${district} ${digit} is no postcode sector.`);
        return { ...place, values: values.split(',').map(Number) };
      });
    })
    .sort((a, b) => a.key - b.key);
  const column = (i: number) => Uint16Array.from(rows, ({ values }) => values[i] ?? 0);
  return {
    names: rows.map(({ name }) => name),
    keys: Uint32Array.from(rows, ({ key }) => key),
    eastings: column(0),
    northings: column(1),
    postcodes: column(2),
  };
}
