import { expect } from 'chai';
import { classifyError } from '../../../engine/aws/store/classify-error.ts';

function sdkError(name: string, httpStatusCode?: number): Error {
  return Object.assign(new Error('words'), { name, $metadata: httpStatusCode === undefined ? {} : { httpStatusCode } });
}

function connectionError(code: string): Error {
  return Object.assign(new Error(`read ${code}`), { code });
}

describe('what an error means for its request', () => {
  it('is to slow down and go again when capacity is short', () => {
    for (const name of ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']) {
      const expected = { kind: 'failed', cause: 'throttled', message: `${name}: words` };
      expect(classifyError(sdkError(name, 400), 't')).to.deep.equal(expected);
    }
  });

  it('is to go again when the server or the connection failed', () => {
    expect(classifyError(sdkError('InternalServerError', 500), 't')).to.include({ kind: 'failed', cause: 'server-error' });
    expect(classifyError(sdkError('SyntaxError', 200), 't')).to.include({ kind: 'failed', cause: 'server-error' });
    for (const code of ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT']) {
      expect(classifyError(connectionError(code), 't')).to.deep.equal({
        kind: 'failed',
        cause: 'connection',
        message: `read ${code}`,
      });
    }
    expect(classifyError(sdkError('TimeoutError'), 't')).to.include({ kind: 'failed', cause: 'connection' });
  });

  it('is to look for the bad item when the request is not valid or too large', () => {
    const invalid = { kind: 'invalid', code: 'ValidationException', message: 'words' };
    expect(classifyError(sdkError('ValidationException', 400), 't')).to.deep.equal(invalid);
    expect(classifyError(sdkError('UnknownError', 413), 't')).to.include({ kind: 'invalid' });
  });

  it('is to stop when nothing can succeed, with what to do next', () => {
    const codes = [
      ['ResourceNotFoundException', 'TABLE_MISSING', 't: no such table'],
      ['ExpiredTokenException', 'NO_CREDENTIALS', 't: the credentials were not accepted (ExpiredTokenException)'],
      ['AccessDeniedException', 'STORE_FAILED', 't: AccessDeniedException: words'],
    ] as const;
    for (const [name, code, message] of codes) {
      const cause = sdkError(name, 400);
      const outcome = classifyError(cause, 't');
      expect(outcome.kind).to.equal('fatal');
      if (outcome.kind === 'fatal') expect(outcome.error).to.include({ code, message, cause });
    }
  });
});
