/** How a volume of generated records stands in a stack. */
export interface VolumeState {
  readonly base: number;
  readonly count: number;
  /** The first so many are stored. */
  readonly stored: number;
  /** Records of an earlier shape that are still to be deleted. */
  readonly former?: { readonly base: number; readonly count: number } | undefined;
}

export interface VolumeWish {
  readonly count: number;
  readonly nowSeconds: number;
  readonly freshSeconds: number;
  readonly overwrite: boolean;
  readonly prune: boolean;
  /** The first place at which the records of two counts differ, at the same base. */
  readonly divergesAt: (former: number, count: number) => number;
}

/** Delete the records `remove` names (if any), then write those from `from` on. */
export interface VolumePlan {
  readonly base: number;
  readonly count: number;
  /** Records before this one are stored as they should be. */
  readonly from: number;
  readonly remove?: { readonly base: number; readonly count: number; readonly from: number };
  /** Records of the earlier volume that are not in the new one and stay. */
  readonly leftBehind: number;
}

/** What to write so that the stack holds the wanted volume. Running it again without a change writes nothing. */
export function planVolume(state: VolumeState | undefined, wish: VolumeWish): VolumePlan {
  const { count, nowSeconds, prune } = wish;
  if (state === undefined) return { base: nowSeconds, count, from: 0, leftBehind: 0 };
  if (wish.overwrite || nowSeconds - state.base >= wish.freshSeconds) return startOver(state, wish);
  const { base, stored } = state;
  const shared = state.count === count ? count : wish.divergesAt(state.count, count);
  // An earlier run had begun to delete and was stopped: those records have to go before others are written over them.
  if (state.former !== undefined) {
    const split = state.former.base === base ? wish.divergesAt(state.former.count, count) : 0;
    return { base, count, from: Math.min(shared, split, stored), remove: { ...state.former, from: split }, leftBehind: 0 };
  }
  if (state.count === count) return { base, count, from: Math.min(stored, count), leftBehind: 0 };
  if (prune)
    return { base, count, from: Math.min(shared, stored), remove: { base, count: state.count, from: shared }, leftBehind: 0 };
  // The stack has what was asked for and more; only pruning would take it away.
  if (count <= stored && count < state.count) return { base, count: state.count, from: state.count, leftBehind: stored - count };
  return { base, count, from: Math.min(shared, stored), leftBehind: Math.max(0, stored - shared) };
}

function startOver(state: VolumeState, { count, nowSeconds, prune }: VolumeWish): VolumePlan {
  if (!prune) return { base: nowSeconds, count, from: 0, leftBehind: state.stored };
  return { base: nowSeconds, count, from: 0, remove: { base: state.base, count: state.count, from: 0 }, leftBehind: 0 };
}
