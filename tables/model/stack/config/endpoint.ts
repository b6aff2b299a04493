/** The kinds of endpoint that the stack can subscribe by itself. */
export const subscriptionProtocols = ['email', 'email-json', 'https', 'sms', 'sqs', 'lambda'] as const;

export type SubscriptionProtocol = (typeof subscriptionProtocols)[number];

const mail = { form: /^[^\s@<>(),;:"[\]\\]+@[^\s@.]+(\.[^\s@.]+)+$/, like: 'an e-mail address like ops@example.com' };

/** What SNS takes for each protocol (Subscribe, `Endpoint`); it would refuse anything else in the middle of a deployment. */
const endpoints: Readonly<Record<SubscriptionProtocol, { readonly form: RegExp; readonly like: string }>> = {
  email: mail,
  'email-json': mail,
  https: { form: /^https:\/\/[^\s/]+\S*$/, like: 'an address that begins with https://' },
  // `config set --path` takes the number for one and drops the plus.
  sms: { form: /^\+[1-9]\d{1,14}$/, like: 'a phone number like "+15551234567", with its plus and in quotes' },
  sqs: { form: /^arn:aws[\w-]*:sqs:[\w-]+:\d{12}:[\w.-]+$/, like: 'the ARN of a queue' },
  lambda: { form: /^arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:[\w:$-]+$/, like: 'the ARN of a function' },
};

/** What is wrong with an endpoint, if anything. It may be a secret, so the message does not repeat it. */
export function endpointProblem(protocol: SubscriptionProtocol, endpoint: string): string | undefined {
  const { form, like } = endpoints[protocol];
  return form.test(endpoint) ? undefined : `expected ${like} for ${protocol}, found something else`;
}
