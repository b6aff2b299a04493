import { request } from 'node:http';

/** No engine here checks the signature, but both want to see one. */
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'x-amz-date': '20260101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
};

/**
 * What a freshly started engine says about its data when it cannot read it; undefined when all is well. One that opened a
 * damaged database answers every request with an inner error, which clients would take for a passing one and repeat.
 */
export function engineFault(endpoint: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request(endpoint, { method: 'POST', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('error', (error) => resolve(error.message));
      answer.on('end', () => resolve((answer.statusCode ?? 500) >= 500 ? messageOf(text) : undefined));
    });
    asked.on('error', (error) => resolve(error.message));
    asked.end('{"Limit":1}');
  });
}

function messageOf(text: string): string {
  try {
    const { message, Message } = JSON.parse(text) as { readonly message?: string; readonly Message?: string };
    return message ?? Message ?? text;
  } catch {
    return text.split('\n')[0] ?? '';
  }
}
