/**
 * The people and companies of the demo's week. All are invented: the email domains are reserved for
 * examples (RFC 2606), the phone numbers for drama (Ofcom, 01632 960000–960999 and
 * 07700 900000–900999).
 */
import type { NewClient } from '../../src/clients/clients.service.js';
import type { StaffRole } from '../../src/platform/access/scopes.js';

export interface DemoPerson {
  readonly name: string;
  readonly email: string;
  readonly role: StaffRole;
}

/** The viewer of the demo, who has access to every page and owns the orders in "Mine". */
export const viewer: DemoPerson = {
  name: 'Dana Whitfield',
  email: 'manager@demo.example',
  role: 'admin',
};

/** The viewer's colleagues in the queue; the first is a manager. */
export const colleagues: readonly DemoPerson[] = [
  { name: 'Marcus Reid', email: 'marcus@demo.example', role: 'manager' },
  { name: 'Elin Hughes', email: 'elin@demo.example', role: 'agent' },
  { name: 'Priya Nair', email: 'priya@demo.example', role: 'agent' },
  { name: 'Sam Okafor', email: 'sam@demo.example', role: 'agent' },
  { name: 'Tom Ashworth', email: 'tom@demo.example', role: 'agent' },
];

/** Manages tokens and the catalogue, and works no orders. */
export const administrator: DemoPerson = {
  name: 'Ines Calder',
  email: 'admin@demo.example',
  role: 'admin',
};

/** Keeps prices and margins, and works no orders. */
export const commercialManager: DemoPerson = {
  name: 'Nadia Farrow',
  email: 'commercial@demo.example',
  role: 'commercial',
};

/** Has left. */
export const formerColleague: DemoPerson = {
  name: 'Joan Pettifer',
  email: 'joan@demo.example',
  role: 'agent',
};

export interface DemoCompany extends NewClient {
  /** The prefix of the references that it sends. */
  readonly prefix: string;
  /** Its share of the demand. */
  readonly weight: number;
}

const company = (
  weight: number,
  prefix: string,
  name: string,
  domain: string,
  contactName: string,
  contactPhone: string,
  about: Partial<Pick<NewClient, 'priceList' | 'compatibility'>> = {},
): DemoCompany => ({
  weight,
  prefix,
  name,
  contactName,
  contactEmail: `${contactName.split(' ')[0]!.toLowerCase()}@${domain}.example`,
  contactPhone,
  priceList: 'standard',
  compatibility: '0.3',
  ...about,
});

export const companies: readonly DemoCompany[] = [
  company(9, 'QF', 'Quillfeather Networks', 'quillfeather', 'Anjali Desai', '01632 960114', {
    priceList: 'partner-gold',
  }),
  company(8, 'LMS', 'Larkrise Managed Services', 'larkrise', 'Gareth Pugh', '01632 960227', {
    priceList: 'partner-gold',
  }),
  company(6, 'PO', 'Copperbeck Telecom', 'copperbeck', 'Louise Tanner', '01632 960341'),
  company(5, 'FD', 'Fennimore Data', 'fennimore', 'Kofi Mensah', '01632 960458'),
  company(4, 'BW', 'Bramblewick Connect', 'bramblewick', 'Niamh Doyle', '01632 960562'),
  company(3, 'TV', 'Tansy & Vole IT', 'tansyvole', 'Peter Lindqvist', '01632 960675'),
  company(3, 'WR', 'Wrenfold Cloud', 'wrenfold', 'Sadia Rahman', '01632 960783'),
  company(2, 'SI', 'Saltmarsh Internet', 'saltmarsh', 'Owen Prosser', '01632 960896', {
    compatibility: '0.2',
  }),
];

/** Contacts at the premises. */
export const contactNames = (
  'Amara Nwosu,Beatrice Holm,Callum Sharpe,Chloë Marchetti,Daniel Frost,Deepa Iyer,Edwin Clarke,' +
  'Fatima Zahra,Fergus Boyle,Grace Adeyemi,Hannah Vogel,Ibrahim Kaya,Isobel Munro,Jack Threlfall,' +
  'Jelena Petrović,Joseph Amos,Karen Mulholland,Kwame Boateng,Leila Haddad,Liam O’Rourke,' +
  'Maeve Corrigan,Marta Zielińska,Mohammed Farah,Nadia Karim,Nikhil Rao,Olivia Penrose,' +
  'Osian Rhys,Patience Moyo,Rafael Duarte,Rosalind Thorne,Rupert Gale,Sinéad Byrne,Sofia Lindgren,' +
  'Stanley Cope,Tariq Mahmood,Teresa Quirke,Uma Krishnan,Victor Ramsay,Wen Zhang,Yasmin El-Sayed'
).split(',');

/** Notes of orders. */
export const orderNotes: readonly string[] = [
  'Customer moves in on the first of next month; a temporary 4G link until then is fine.',
  'Please ring before 11:00 or after 14:00, the site manager is on the floor in between.',
  'Riser access only on weekdays, book with the building manager two days ahead.',
  'Second circuit for resilience: must not share a duct with the one we have from you.',
  'Quote asked for by the end of the week, decision by the board on Tuesday.',
  'Replaces a 100 Mbit/s line whose contract ends in ten weeks.',
  'Grade II listed building. Landlord has agreed to internal works.',
  'Postcode covers three buildings; ours is the one with the blue door in the courtyard.',
  'Shared office on the 4th floor, cabinet is in the comms room on the 2nd.',
  'Price is what decides. They have an offer from another supplier.',
  'Static /29 needed. Please confirm with the first call.',
  'Same customer as last month, different floor.',
];
