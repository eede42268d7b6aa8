/** Lets messages through: reads from memory would otherwise keep the worker busy to their end, deaf to Cancel. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
