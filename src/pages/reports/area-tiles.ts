/**
 * The 124 postcode areas of the United Kingdom, Jersey, Guernsey and the Isle of Man on a tile map: a
 * line for each row from the north, with each area's column. Drawn for this service by hand.
 */
const map = [
  '6:ZE',
  '4:KW',
  '1:HS 3:IV 4:AB',
  '3:PH 4:DD',
  '2:PA 3:FK 4:KY',
  '2:G 3:ML 4:EH',
  '2:KA 3:DG 4:TD 5:NE',
  '0:BT 3:CA 4:DH 5:SR',
  '1:IM 3:LA 4:DL 5:TS',
  '2:FY 3:BB 4:BD 5:HG 6:YO',
  '2:PR 3:BL 4:HX 5:LS 6:WF 7:HU',
  '2:L 3:WN 4:OL 5:HD 6:S 7:DN',
  '1:LL 2:CH 3:WA 4:M 5:SK 6:NG 7:LN',
  '2:SY 3:CW 4:ST 5:DE 6:LE 7:PE 8:NR',
  '1:LD 2:TF 3:WV 4:WS 5:CV 6:NN 7:CB 8:IP',
  '0:SA 1:HR 2:WR 3:DY 4:B 5:MK 6:LU 7:SG 8:CO',
  '0:CF 1:NP 2:GL 3:OX 4:HP 5:WD 6:AL 7:EN 8:CM',
  '3:SN 4:SL 5:HA 6:NW 7:N 8:IG 9:RM 10:SS',
  '2:BS 3:BA 4:RG 5:UB 6:W 7:WC 8:EC 9:E',
  '2:TA 3:SP 4:GU 5:TW 6:SW 7:SE 8:BR 9:DA 10:ME 11:CT',
  '0:PL 1:EX 2:DT 3:BH 4:SO 5:KT 6:SM 7:CR 8:TN',
  '0:TR 1:TQ 5:PO 6:RH 7:BN',
  '2:GY 3:JE',
];

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

/** From north to south, then from west to east. */
export const areaTiles = map.flatMap((line, row) =>
  line.split(' ').map((entry) => {
    const [column, area] = entry.split(':') as [string, string];
    return { area, name: names.get(area)!, column: Number(column), row };
  }),
);

export const MAP_COLUMNS = 12;
export const MAP_ROWS = map.length;

/** "Aberdeen" for AB; null for an area without a place: BF (armed forces), BX. */
export function nameOfArea(area: string): string | null {
  return names.get(area) ?? null;
}
