import { expect } from 'chai';
import { classifyError, storeError } from '../../../engine/aws/store/store-error.ts';
import { TablewrightError } from '../../../tables/model/error.ts';

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
    for (const code of ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'EAI_AGAIN']) {
      expect(classifyError(connectionError(code), 't')).to.deep.equal({
        kind: 'failed',
        cause: 'connection',
        message: `the server cannot be reached (${code})`,
      });
    }
    // The SDK gives this name to a connection that was reset.
    const reset = Object.assign(connectionError('ECONNRESET'), { name: 'TimeoutError' });
    expect(classifyError(reset, 't')).to.include({ kind: 'failed', cause: 'connection' });
  });

  it('is to go again, but not often, when nothing came back in time', () => {
    for (const error of [sdkError('TimeoutError'), connectionError('ETIMEDOUT')]) {
      expect(classifyError(error, 't')).to.include({ kind: 'failed', cause: 'no-answer' });
    }
    const silent = Object.assign(sdkError('TimeoutError'), { server: 'http://127.0.0.1:8000', waitedMs: 5_003 });
    const message = 'the server http://127.0.0.1:8000 gave no answer within 5 s';
    expect(classifyError(silent, 't')).to.include({ message });
    expect(storeError('t', silent)).to.include({ code: 'STORE_FAILED', message: `t: ${message}` });
  });

  it('is a network that is down when a name does not resolve, in both forms', () => {
    expect(classifyError(connectionError('ENOTFOUND'), 't')).to.include({ kind: 'failed', cause: 'connection' });
    expect(storeError('t', connectionError('ENOTFOUND'))).to.have.nested.property('repeatable.cause', 'connection');
  });

  it('is the same in both forms, whatever the error', () => {
    const errors = [
      ...['ThrottlingException', 'ValidationException', 'ResourceNotFoundException', 'ExpiredTokenException', 'Strange'].map(
        (name) => sdkError(name, 400),
      ),
      ...['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'ESTRANGE'].map(connectionError),
      sdkError('InternalServerError', 500),
    ];
    for (const error of errors) {
      const value = classifyError(error, 't');
      const thrown = storeError('t', error) as TablewrightError;
      expect(thrown.repeatable?.cause, error.name).to.equal(value.kind === 'failed' ? value.cause : undefined);
      if (value.kind === 'failed') expect(thrown.message).to.equal(`t: ${value.message}`);
      if (value.kind === 'fatal') expect(thrown).to.include({ code: value.error.code, message: value.error.message });
    }
  });

  it('counts the tries that the client made by itself', () => {
    const error = Object.assign(sdkError('InternalServerError', 500), { $metadata: { httpStatusCode: 500, attempts: 5 } });
    const what = 't: InternalServerError: words';
    expect(storeError('t', error)).to.deep.include({
      message: `${what}, after 5 tries`,
      repeatable: { cause: 'server-error', tries: 5, what },
    });
  });

  it('leaves aborts and our own errors as they are', () => {
    for (const error of [sdkError('AbortError'), new TablewrightError('CONFLICT', 'words')]) {
      expect(storeError('t', error)).to.equal(error);
    }
  });

  it('is to look for the bad item when the request is not valid or too large', () => {
    const invalid = { kind: 'invalid', code: 'ValidationException', message: 'words' };
    expect(classifyError(sdkError('ValidationException', 400), 't')).to.deep.equal(invalid);
    expect(classifyError(sdkError('UnknownError', 413), 't')).to.include({ kind: 'invalid' });
  });

  it('is to stop when nothing can succeed, with what to do next', () => {
    const codes = [
      ['ResourceNotFoundException', 'TABLE_MISSING', 't: the table or index does not exist in this stack'],
      ['ExpiredTokenException', 'NO_CREDENTIALS', 't: AWS does not accept the credentials: words'],
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
