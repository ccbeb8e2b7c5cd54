/**
 * A reporter for node's test runner that browser_test.go reads: one JSON
 * object a line for each test that ended.
 */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const error = data.details?.error;
    const cause = error?.cause ?? error;
    yield `${JSON.stringify({
      name: data.name,
      passed: type === "test:pass",
      left_out: data.skip !== undefined || data.todo !== undefined,
      ms: Math.round(data.details?.duration_ms ?? 0),
      error: type === "test:fail" ? String(cause?.stack ?? cause) : undefined,
    })}\n`;
  }
}
