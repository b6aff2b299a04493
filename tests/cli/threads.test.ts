import { expect } from 'chai';
import { CliWorker } from '../support/cli-worker.ts';
import { type ProjectFolder, projectFolder } from '../support/project-folder.ts';

describe('--threads', function () {
  this.timeout(60_000);
  let folder: ProjectFolder;
  let worker: CliWorker;
  before(async () => {
    folder = await projectFolder({});
    worker = new CliWorker(folder.root);
  });
  after(async () => {
    worker.close();
    await folder.remove();
  });

  it('is refused on the engine of this machine, which writes one item at a time', async () => {
    const { code, stderr } = await worker.run(['seed', '--volume', '5', '--system', 'oms', '--threads', '2']);
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr:
        'BAD_ARGUMENT: --threads: the engine on this machine writes one item at a time, so threads would only get in its way\n' +
        '→ Leave --threads out; it is for DynamoDB itself (--stack) and for servers elsewhere (--endpoint).\n',
    });
  });
});
