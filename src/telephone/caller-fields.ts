/** The words of what staff take down for a caller. */

export const contactWords = {
  name: { label: 'Name', input: { autofocus: true } },
  phone: { label: 'Phone', input: { type: 'tel' } },
  email: { label: 'Email', input: { type: 'email' } },
} as const;

export const otherWords = {
  reference: {
    label: 'Client reference (optional)',
    hint: 'For example, their purchase order number.',
  },
  notes: {
    label: 'Note',
    hint: "Internal note for the team. The client can't see it.",
    long: true,
  },
} as const;
