import type { OutgoingHttpHeaders } from 'node:http';
import { Transactions } from '../../src/platform/database/transactions.js';
import { hashSecret } from '../../src/staff/sessions/session-cookie.js';
import { SessionsService } from '../../src/staff/sessions/sessions.service.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import type { RawRequest, Reply } from './http.js';
import type { Service } from './service.js';

/** A minimal browser for the staff pages: it keeps cookies and its location. */
export class StaffBrowser {
  private readonly cookies = new Map<string, string>();
  member: StaffMember;

  constructor(
    private readonly service: Service,
    private readonly userAgent = 'Test/1.0',
    /** Where the proxy says that it is. */
    private readonly address?: string,
  ) {}

  /** With a session of this or a new member, without the sign-in pages. */
  static async signedIn(
    service: Service,
    about: Partial<Pick<StaffMember, 'name' | 'role'>> = {},
    member?: StaffMember,
    address?: string,
  ): Promise<StaffBrowser> {
    const browser = new StaffBrowser(service, 'Test/1.0', address);
    browser.member = member ?? (await service.given.staff(about));
    const cookie = await service
      .get(Transactions)
      .run((tx) =>
        service
          .get(SessionsService)
          .start(
            tx,
            { staffMemberId: browser.member.id, stage: 'open', method: 'password' },
            { userAgent: 'Test/1.0', address: '127.0.0.1' },
          ),
      );
    browser.cookies.set('staff', cookie);
    return browser;
  }

  get cookie(): string | undefined {
    return this.cookies.get('staff') ?? this.cookies.get('__Host-staff');
  }

  /** As if set by another party. */
  plant(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  signIn(email: string, password: string, next?: string): Promise<Reply<string>> {
    return this.post('/staff/sign-in', { email, password, ...(next !== undefined && { next }) });
  }

  get hash(): string {
    return hashSecret(this.cookie ?? '');
  }

  async isSignedIn(): Promise<boolean> {
    const { status } = await this.get('/staff/account');
    return status === 200;
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<Reply<string>> {
    return this.send({
      method: 'GET',
      path,
      headers: { 'Sec-Fetch-Mode': 'navigate', ...headers },
    });
  }

  /** Sends a form from a page of the service. An array repeats a field. */
  post(
    path: string,
    fields: Readonly<Record<string, string | readonly string[]>> = {},
  ): Promise<Reply<string>> {
    const pairs = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one]),
    );
    const body = new URLSearchParams(pairs).toString();
    return this.send({
      method: 'POST',
      path,
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        'Sec-Fetch-Mode': 'navigate',
        ...(body !== '' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== '' && { body }),
    });
  }

  /** As `post`, for a form with a file. */
  async upload(path: string, form: FormData): Promise<Reply<string>> {
    const request = new Response(form);
    return this.send({
      ...{ method: 'POST', path, body: Buffer.from(await request.arrayBuffer()) },
      headers: {
        ...{ 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' },
        'Content-Type': request.headers.get('content-type')!,
      },
    });
  }

  /** With its cookies; stores those of the answer. */
  async send({ headers, ...request }: RawRequest): Promise<Reply<string>> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const reply = await this.service.http.send<string>({
      ...request,
      headers: {
        'User-Agent': this.userAgent,
        ...(this.address !== undefined && { 'X-Forwarded-For': this.address }),
        ...(cookie !== '' && { Cookie: cookie }),
        ...headers,
      },
    });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0(?:;|$)/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return reply;
  }
}
