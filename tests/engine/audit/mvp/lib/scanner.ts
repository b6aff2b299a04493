/** Badge scanner at the door; has nothing to do with tables. */
export class ScanCommand {
  constructor(readonly options: { device: string }) {}
}
