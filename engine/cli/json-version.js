/** The form of the JSON lines; docs/json.md describes it. It rises when a field goes or means something else, not when one comes. */
export const jsonVersion = 1;
