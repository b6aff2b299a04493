/** What a command ends with. Which error ends with which stands in tables/model/error.ts. */
export const exitCodes = /** @type {const} */ ({
  /** The work is done, and a check found nothing. */
  done: 0,
  /** The work failed, or a check found something. */
  failed: 1,
  /** Wrong use or bad input; nothing was changed. */
  misuse: 2,
  /** A conflict with another process. */
  conflict: 3,
  /** Stopped by a signal or a closed pipe; what was done is kept, the same command goes on. 128 and the number of SIGINT. */
  interrupted: 130,
});
